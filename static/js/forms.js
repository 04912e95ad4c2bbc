// Small help for forms. Each works without it.
(() => {
  "use strict";

  // A form is sent once: a second press must not ask twice. The server knows
  // the same click again anyway.
  document.addEventListener("submit", (e) => {
    const form = e.target;
    if (!form.matches("[data-once]")) return;
    if (form.dataset.sent) {
      e.preventDefault();
      return;
    }
    form.dataset.sent = "true";
    for (const button of form.querySelectorAll("button[type=submit]")) {
      // A button that is disabled sends nothing, and which of several was pressed is what is asked.
      if (button === e.submitter && button.name) button.setAttribute("aria-disabled", "true");
      else button.disabled = true;
      if (!button.dataset.busy) continue;
      const words = button.querySelector("span") || button;
      button.dataset.words = words.textContent;
      words.textContent = button.dataset.busy;
    }
  });

  // Back to a page that was kept in memory: its forms may be sent again.
  window.addEventListener("pageshow", (e) => {
    if (!e.persisted) return;
    for (const form of document.querySelectorAll("[data-sent]")) {
      delete form.dataset.sent;
      for (const button of form.querySelectorAll("button[type=submit]")) {
        button.disabled = false;
        button.removeAttribute("aria-disabled");
        if (button.dataset.words) (button.querySelector("span") || button).textContent = button.dataset.words;
      }
    }
  });

  // Back to a form that was left has what was typed there.
  for (const form of document.querySelectorAll("form[data-keeps]")) {
    const fields = [...form.elements].filter((f) => f.name && !["hidden", "checkbox"].includes(f.type));
    fields.forEach((f, i) => (f.value = history.state?.typed?.[i] ?? f.value));
    form.addEventListener("change", () => history.replaceState({ ...history.state, typed: fields.map((f) => f.value) }, ""));
  }

  // A file that is too large is refused before it is sent: a server that hangs
  // up on two gigabytes cannot be heard.
  document.addEventListener("change", (e) => {
    const most = +e.target.dataset.most;
    if (!most) return;
    const large = [...(e.target.files || [])].some((f) => f.size > most);
    e.target.setCustomValidity(large ? e.target.dataset.tooLarge : "");
    if (large) e.target.reportValidity();
  });

  document.querySelector("[data-error-summary], [data-proof] [aria-invalid]")?.focus();
  // With the first frame: asked for here, the page would have to be laid out at once.
  requestAnimationFrame(() => document.querySelector(".subnav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }));

  // One box that chooses all of its form; without script each is chosen by itself.
  for (const all of document.querySelectorAll("[data-choose-all]")) {
    all.hidden = false;
    const boxes = () => all.form.querySelectorAll("input[type=checkbox][name]");
    all.addEventListener("change", () => boxes().forEach((box) => (box.checked = all.checked)));
    all.form.addEventListener("change", () => {
      const chosen = [...boxes()].filter((box) => box.checked).length;
      all.checked = chosen === boxes().length;
      all.indeterminate = chosen > 0 && !all.checked;
    });
  }

  for (const button of document.querySelectorAll("[data-fill-email]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      document.getElementById("f-email").value = button.dataset.fillEmail;
      document.getElementById("f-password").value = button.dataset.fillPassword;
      document.querySelector("form[action='/login'] button[type=submit]").focus();
    });
  }

  function reveal() {
    for (const b of document.querySelectorAll("[data-print], [data-copy]")) b.hidden = false;
  }
  reveal();
  document.addEventListener("htmx:afterSwap", reveal);
  new MutationObserver(reveal).observe(document.body, { childList: true });

  // A tap beside an open menu closes it, and is no press on what lies below.
  let menu;
  document.addEventListener("pointerdown", () => (menu = document.querySelector(":popover-open")), true);
  document.addEventListener("click", (e) => {
    const beside = e.detail && menu && !menu.contains(e.target) && !e.target.closest("[popovertarget]");
    menu = undefined;
    if (!beside) return;
    e.preventDefault();
    e.stopImmediatePropagation();
  }, true);

  document.addEventListener("click", async (e) => {
    // What was chosen in a menu closes it.
    e.target.closest(".head-actions :is(a, button)")?.closest("[popover]").hidePopover?.();
    const note = e.target.closest(".mark > summary")?.parentElement.querySelector("[name=note]");
    if (note) requestAnimationFrame(() => note.focus());
    if (e.target.closest("[data-print]")) window.print();
    const copy = e.target.closest("[data-copy]");
    if (!copy) return;
    const rows = document.querySelectorAll(copy.dataset.copy + " > div");
    const text = rows.length // else one thing, such as a secret
      ? [...rows].map((r) => r.children[0].textContent.trim() + ": " + r.children[1].textContent.trim()).join("\n")
      : document.querySelector(copy.dataset.copy).textContent.trim();
    try {
      await navigator.clipboard.writeText(text);
      copy.querySelector("span").textContent = copy.dataset.done;
    } catch {
      getSelection().selectAllChildren(document.querySelector(copy.dataset.copy)); // ready for the keyboard
    }
  });

  // An address holds only what filters, so that it is still today's tomorrow; and
  // never a whole card number, not even on its way: the server says why.
  document.addEventListener("formdata", (e) => {
    if (!e.target.matches("form[action='/sales'][role=search]")) return;
    const q = e.formData.get("q").replace(/[\s.-]/g, "");
    const sum = [...q].reverse().reduce((n, d, i) => n + (i % 2 ? (d * 2) % 9 || +d : +d), 0);
    // Only what models/cards would refuse on any day: what carries a date, or is as
    // long as an article's number, the server judges.
    const yy = +e.target.elements.date.max.slice(2, 4); // of today
    const year = `(${yy - 2}|${yy - 1}|${yy})`, month = "(0[1-9]|1[0-2])", day = "(0[1-9]|[12]\\d|3[01])";
    const brand = /^(4\d{15}(\d{3})?|5[1-5]\d{14}|2(22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|(30[0-5]|3[689]\d)\d{11,16}|35(2[89]|[3-8]\d)\d{12,15}|(50|5[6-9]|6\d)\d{12,17})$/;
    const dated = new RegExp(`${year}${month}${day}|${day}${month}(20)?${year}`);
    if (brand.test(q) && !dated.test(q) && sum % 10 === 0) {
      e.formData.delete("q");
      e.formData.set("card", "1");
    }
    for (const [name, value] of [...e.formData]) {
      if (!value || (name === "date" && value === e.target.elements.date.max)) e.formData.delete(name);
    }
  });

  // How much waits stands on the icon of the app too; nothing once nobody is signed in.
  if (navigator.setAppBadge) {
    const waits = parseInt(document.querySelector(".nav .badge")?.textContent, 10) || 0;
    (waits ? navigator.setAppBadge(waits) : navigator.clearAppBadge()).catch(() => {});
  }
})();
