// Shortcuts: single keys, and so (WCAG 2.1.4) they can be turned off. A barcode
// scanner is a keyboard too: what it types goes to the search box.
(() => {
  "use strict";
  const KEY = "veinte.keys";
  const QUICK = 60; // milliseconds between two keys that no hand presses
  const SCAN = 6; // characters at least
  const find = document.querySelector('[data-key="/"]');
  const foot = document.querySelector(".bottom");
  if (!find || !foot) return;
  const make = (name, is, ...inside) => {
    const e = Object.assign(document.createElement(name), is);
    e.append(...inside);
    return e;
  };
  const all = make("a", { className: "link", href: "/shortcuts" }, make("kbd", {}, "?"), " " + inWords["shortcuts.title"]);
  const toggle = make("button", { className: "link", type: "button" });
  const hint = make("p", { className: "keys" }, make("kbd", {}, "/"), inWords["layout.keySearch"], all, toggle);
  all.dataset.sheet = toggle.dataset.keysToggle = hint.dataset.keysHint = "";
  foot.append(hint);
  let on = true;
  try {
    on = localStorage.getItem(KEY) !== "off";
  } catch {
    // No storage: the choice lasts as long as the page.
  }
  const draw = () => (toggle.textContent = inWords[on ? "layout.keysOff" : "layout.keysOn"]);
  draw();
  toggle.addEventListener("click", () => {
    on = !on;
    try {
      localStorage.setItem(KEY, on ? "on" : "off");
    } catch {
      // As above.
    }
    draw();
  });

  const says = document.querySelector("[data-keys-says]");
  const say = (text) => says && (says.textContent = text);
  const row = () => document.activeElement.closest("tr[id^=sale-]");
  let at = 0; // the row that had the focus: another stands there once it has gone

  function move(key) {
    const rows = [...document.querySelectorAll("tr[id^=sale-]")];
    const searching = document.activeElement === find;
    const now = row() ? rows.indexOf(row()) : searching ? -1 : at - 1;
    if (!rows.length || (!row() && (key !== "ArrowDown" || !(searching || document.activeElement === document.body)))) return;
    const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: rows.length - 1 }[key];
    at = Math.max(0, Math.min(to, rows.length - 1));
    rows[at].querySelector("th a").focus();
    return true;
  }

  function why(sale) {
    if ("mayNot" in says.dataset) return inWords["shortcuts.mayNot"];
    return inWords[sale.querySelector(".paused") ? "error.paused" : "shortcuts.not." + (sale.dataset.state || "cancelable")];
  }

  function cancel() {
    const link = row()?.querySelector("a[href$='/new']");
    if (link) link.click();
    else say(row() ? why(row()) : inWords["shortcuts.noRow"]);
  }

  let scan = "";
  let last = 0;
  let soon; // the beginning of a scan may be a shortcut's key: it waits for the next
  document.addEventListener("keydown", (e) => {
    clearTimeout(soon);
    const field = e.target.closest("input, textarea, select, [contenteditable]");
    if (!on || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || (field && field !== find)) return;
    if (document.querySelector("dialog[open]")) return;
    const quick = e.timeStamp - last < QUICK;
    last = e.timeStamp;
    if (quick && scan.length >= SCAN && (e.key === "Enter" || e.key === "Tab")) {
      e.preventDefault();
      find.value = scan;
      scan = "";
      return find.form.requestSubmit();
    }
    if (e.key.length > 1) {
      if (e.key !== "Shift") scan = "";
    } else if (!e.repeat) {
      scan = quick ? scan + e.key : e.key;
    }
    // A line of text has no line below: from the search the way down is to the rows.
    if (field) return e.key === "ArrowDown" && !e.shiftKey && move(e.key) && e.preventDefault();
    if (e.key !== "Shift") say("");
    if (scan.length > 1) return e.preventDefault(); // some browsers would begin a search of their own
    if (e.key === "/") {
      e.preventDefault();
      scan = "";
      find.focus();
      find.select();
    } else if (e.key === "?") {
      soon = setTimeout(() => all.click(), QUICK);
    } else if (e.key.toLowerCase() === "c" && !e.shiftKey) {
      soon = setTimeout(cancel, QUICK);
    } else if (e.key.toLowerCase() === "n" && !e.shiftKey) {
      soon = setTimeout(() => document.querySelector("[data-held]:not([hidden]) button")?.click(), QUICK);
    } else if (/^(Arrow(Up|Down)|Home|End)$/.test(e.key) && !e.shiftKey && move(e.key)) {
      e.preventDefault();
    }
  });
})();
