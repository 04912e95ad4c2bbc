// The confirmation sheet: the link's own page, loaded into a dialog. Where
// anything is missing the link simply leads to the page.
(() => {
  "use strict";
  const dialog = document.getElementById("sheet-dialog");
  const place = document.getElementById("sheet-place");
  const FORM = "[data-testid=cancel-form], [data-testid=several-form]";
  const WAY = ".sales a[href$='/new'], a[data-testid=cancel]"; // to a sheet

  let shown = false; // a sheet is open that has the browser's step; its close event comes late
  let over = []; // the sale of a sheet that the cut-off closed, with its amount
  let leaving = false; // the step of a sheet that was closed is about to go

  async function open(href, row) {
    // The event of its closing comes late, and only then its step goes.
    const closing = shown && !dialog.open && entered();
    if (leaving || closing) await new Promise((gone) => window.addEventListener("popstate", gone, { once: true }));
    const asked = entered(); // by the history, which may have gone on when the answer comes
    let answer;
    try {
      answer = await fetch(href, { headers: { "HX-Request": "true" }, credentials: "same-origin", cache: "no-store" });
    } catch {
      notice("sheet.unreachable");
      return;
    }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const sheet = page.getElementById("sheet");
    if (!sheet) {
      location.href = href; // signed out, or an error: let the page say so
      return;
    }
    if (entered() !== asked) return;
    place.replaceChildren(document.adoptNode(sheet));
    ready();
    dialog.returnFocusTo = row;
    enter(href, row);
    shown = true;
    dialog.showModal();
    (place.querySelector("[autofocus]") || dialog).focus();
  }

  // An open sheet is a step of the browser's history: Back closes it and stays on the
  // page. Closed otherwise, its step goes too; Forward to it opens it again, and so does
  // loading the page anew.
  const entered = () => history.state?.sheet;
  function enter(href, row) {
    if (entered() === href) return;
    const state = { ...history.state, sheet: href, row };
    if (entered()) return history.replaceState(state, "");
    history.scrollRestoration = "manual"; // the page below stays where it is
    history.pushState(state, "");
  }
  // ready shows whether a sheet can be confirmed: once its reason is chosen, which is the
  // press that is asked for. What is missing is said on the sheet, not by the browser.
  function ready(form = document.querySelector(FORM)) {
    if (!form || form.dataset.sent) return;
    form.noValidate = true;
    form.querySelector("[data-testid=confirm]").setAttribute("aria-disabled", lacking(form)?.name === "reason");
  }
  window.addEventListener("pageshow", () => ready()); // what a browser filled in again counts

  // lacking is the field without which a sheet is not sent.
  function lacking(form) {
    const reasons = [...form.querySelectorAll("[name=reason]")];
    const chosen = reasons.find((r) => r.checked);
    if (reasons.length && !chosen) return reasons[0];
    const note = form.elements.note;
    return chosen?.matches("[data-note]") && !note.value.trim() ? note : undefined;
  }

  // ask says at a field what is missing, and brings the focus there.
  function ask(field) {
    const form = field.form;
    const area = field.closest(".field");
    answered(form);
    let says = area.querySelector(".field-error");
    if (!says) {
      says = document.createElement("p");
      says.className = "field-error";
      says.id = "e-" + field.name;
      area.querySelector("label:has([type=radio]), textarea").before(says);
    }
    says.setAttribute("role", "alert");
    says.textContent = field.name === "note" ? form.dataset.lacksNote : form.dataset.lacksReason;
    area.classList.add("has-error");
    const described = field.name === "note" ? field : area;
    described.setAttribute("aria-describedby", says.id);
    field.focus({ preventScroll: true });
    area.scrollIntoView({ block: "nearest" });
  }

  // answered takes back what was said of fields that lack nothing any more.
  function answered(form) {
    const now = lacking(form)?.name;
    for (const says of form.querySelectorAll(".field-error[role=alert]")) {
      if (says.id === "e-" + now || says.closest("[data-proof]")) continue; // a proof is judged by the server
      const area = says.closest(".field");
      area.classList.remove("has-error");
      for (const e of [area, ...area.querySelectorAll("[aria-describedby]")]) e.removeAttribute("aria-describedby");
      says.remove();
    }
  }

  // begun says whether a reason was chosen, or a note written.
  const begun = () => !!dialog.querySelector("[name=reason]:checked") || !!dialog.querySelector("[name=note]")?.value.trim();

  // left shows which row a sheet belongs to that was closed without a word.
  const left = () => dialog.returnFocusTo && window.veinte?.leaves?.(dialog, document.getElementById(dialog.returnFocusTo));

  // notice says at the top of the page, where it is seen, why a sheet did not open or has
  // closed. sale is where its sale is to be seen.
  function notice(key, sale, amount = "") {
    const n = document.getElementById("sheet-says");
    if (!n) return;
    n.querySelector("p").textContent = inWords[key];
    if (sale) n.querySelector("p").append(" ", Object.assign(document.createElement("a"), { href: sale, textContent: inWords["sheet.seeSale"] + amount }));
    n.hidden = false;
    n.scrollIntoView({ block: "center" });
    n.focus();
  }

  if (dialog && dialog.showModal) {
    document.addEventListener("click", (e) => {
      const link = e.target.closest(WAY + ", a[data-sheet]");
      if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
      e.preventDefault();
      open(link.href, link.matches("[data-sheet]") ? undefined : link.closest("tr")?.id || "");
    });
    dialog.addEventListener("click", (e) => {
      if (e.target === dialog && begun()) return; // a slip of the hand loses nothing
      if (e.target === dialog || e.target.closest("[data-close]")) {
        e.preventDefault();
        left();
        dialog.close();
      }
    });
    dialog.addEventListener("cancel", left); // Escape
    dialog.addEventListener("close", () => {
      // It comes with the next frame. On a busy machine a sheet may be open again by then.
      if (dialog.open) return;
      place.replaceChildren();
      if (shown && entered()) {
        leaving = true;
        history.back();
      }
      shown = false;
      if (dialog.returnFocusTo === null) return notice("sheet.closed", ...over);
      if (dialog.returnFocusTo === undefined) return; // the browser goes back by itself
      // The row may have been redrawn while the sheet was open. This event comes late:
      // whoever has gone on to another row with the keys by then stays there.
      const row = dialog.returnFocusTo && document.getElementById(dialog.returnFocusTo);
      const now = document.activeElement.closest("tr[id^=sale-]");
      if (now && now !== row) return;
      const scope = row || document;
      (scope.querySelector(WAY) || scope.querySelector("a"))?.focus();
    });
    window.addEventListener("popstate", () => {
      shown = leaving = false;
      if (entered()) return open(entered(), history.state.row);
      history.scrollRestoration = "auto";
      if (!dialog.open) return;
      left();
      dialog.close();
    });
    if (entered()) open(entered(), history.state.row);
  }

  // Back from a sale, its row has the focus. A browser that goes to the place in an address
  // takes the focus away, and does so until the page has loaded.
  window.addEventListener("pageshow", () => {
    if (/^#sale-\d+$/.test(location.hash)) document.querySelector(location.hash + " a")?.focus();
  }, { once: true });

  // What a colleague did meanwhile turns an open sheet: its red button goes, and it says
  // who was first. What was typed stays as long as the sale can still be canceled.
  let looking = false;
  document.addEventListener("veinte:changed", async () => {
    const form = document.querySelector("#sheet form[data-turns]");
    if (!form || form.dataset.sent || looking) return;
    looking = true;
    try {
      const answer = await fetch(form.elements.page.value, { headers: { "HX-Request": "true", "Veinte-Poll": "1" }, credentials: "same-origin", cache: "no-store" });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("sheet");
      if (answer.ok && fresh && !fresh.querySelector("form") && form.isConnected && !form.dataset.sent) {
        document.getElementById("sheet").replaceWith(document.adoptNode(fresh));
        document.querySelector("#sheet [autofocus]")?.focus();
      }
    } catch {
      // Offline: the server says it when the form is sent.
    } finally {
      looking = false;
    }
  });

  // What lacks something, or cannot leave, is not sent: another page would come in place
  // of this one. Back from what came of one that was sent leads to the page below.
  document.addEventListener("submit", (e) => {
    if (!e.target.matches(FORM)) return;
    const form = e.target;
    const lost = form.querySelector("[data-sheet-offline]");
    const lacks = lacking(form);
    lost.hidden = !!lacks || navigator.onLine;
    if (!lacks && navigator.onLine) {
      if (entered() && !form.dataset.sent) history.replaceState({ ...history.state, sheet: undefined }, "");
      return;
    }
    e.preventDefault();
    e.stopImmediatePropagation();
    if (lacks) ask(lacks);
    else lost.scrollIntoView({ block: "nearest" });
  }, true);
  document.addEventListener("input", (e) => e.target.form?.matches(FORM) && answered(e.target.form));

  // A reason brings what the receipt starts with, until somebody has decided
  // about the receipt: then it stays as they want it.
  document.addEventListener("change", (e) => {
    const form = e.target.closest(FORM);
    if (form) ready(form);
    const box = form?.querySelector("[name=receipt]");
    if (!box) return;
    if (e.target === box) box.dataset.decided = "true";
    const starts = e.target.dataset.receipt;
    if (starts && !box.dataset.decided) box.checked = starts === "on";
  });

  // A reason that says nothing by itself needs the note: it comes into sight, and
  // whoever chooses stays in the list.
  document.addEventListener("change", (e) => {
    const note = e.target.name === "reason" && e.target.form?.matches(FORM) && e.target.form.elements.note;
    if (!note) return;
    const needs = e.target.matches("[data-note]");
    note.setAttribute("aria-required", needs);
    if (needs) note.closest(".field").scrollIntoView({ block: "nearest" });
  });
  // Whoever chose it with a hand writes it next; on a keyboard the choice goes on.
  document.addEventListener("click", (e) => {
    if (e.detail && e.target.matches?.(FORM + " [data-note]")) e.target.form.elements.note.focus({ preventScroll: true });
  });

  // At the cut-off an open sheet closes and says why.
  document.addEventListener("veinte:closed", () => {
    const form = document.querySelector(FORM);
    for (const link of document.querySelectorAll(WAY)) link.remove();
    if (!form || form.dataset.sent) return;
    const sale = /^\/sales\/\d+(?=\/cancellation$)/.exec(form.getAttribute("action"))?.[0]; // of several there is none
    if (dialog && dialog.open) {
      over = [sale, " · " + form.querySelector(".sheet-amount").firstChild.textContent.trim()];
      dialog.returnFocusTo = null;
      dialog.close();
      return;
    }
    form.hidden = true;
    notice("sheet.closed", sale);
  });
})();
