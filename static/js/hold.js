// New sales wait while somebody is at the page: put on top at once they would push
// another sale under a hand on its way to the one that the eye has found. What changes
// inside a row is shown at once; new rows gather behind a button that says how many
// they are, and come by themselves only where no hand was for some minutes.
(() => {
  "use strict";
  const AWAY = 300000; // without a hand, after which nobody is at the page: eyes leave no trace
  const SETTLES = 1000; // in which a press was meant for what stood there before
  const list = () => document.getElementById("sales-list");
  if (!window.veinte || !list()?.querySelector("[data-held]")) return;
  const rows = (of) => [...of.querySelectorAll("tr[id^=sale-]")];
  // Who has just opened the list on a phone reads it, and has not touched it yet.
  let hand = matchMedia("(pointer: coarse)").matches ? performance.now() : -AWAY;
  let fingers = 0; // on the glass
  let by = ""; // what pointed last: a browser takes a tapped row for one that is hovered over
  let moved = -SETTLES; // when rows were last put in
  let waiting = false; // new sales are behind the button
  let release = false; // somebody asked for them

  for (const kind of ["touchstart", "touchmove", "touchend", "touchcancel"]) {
    document.addEventListener(kind, (e) => {
      hand = performance.now();
      fingers = e.touches.length;
    }, { passive: true });
  }

  for (const kind of ["pointermove", "pointerdown", "wheel", "keydown"]) {
    document.addEventListener(kind, (e) => {
      hand = performance.now();
      by = e.pointerType ?? by;
    }, { passive: true });
  }

  // taken says whether somebody is at the page, or was and left it in the middle.
  function taken() {
    const table = list().querySelector("table.sales");
    if (!table || release) return false;
    return (
      table.getBoundingClientRect().top < 0 ||
      fingers > 0 ||
      performance.now() - hand < AWAY ||
      (by !== "touch" && table.tBodies[0].matches(":hover")) ||
      table.tBodies[0].contains(document.activeElement) ||
      !!table.querySelector("input:checked") ||
      !!document.querySelector("dialog[open]")
    );
  }

  function says(region, fresh, full) {
    const held = region.querySelector("[data-held]");
    const sum = fresh.reduce((total, row) => total + +row.querySelector("th").textContent.replace(/[$,.]/g, ""), 0);
    const money = "$" + (sum / 100).toLocaleString("en-US", { minimumFractionDigits: 2 });
    const words = inWords[fresh.length === 1 ? "sales.newOne" : full ? "sales.newFull" : "sales.newMany"];
    held.querySelector("[data-held-says]").textContent = words.replace("#", fresh.length) + (full ? "" : " · " + money);
    held.hidden = false;
    if (list().querySelector("[data-held]").hidden) moved = performance.now();
  }

  // hold takes an answer of the list and returns what of it is shown now.
  function hold(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const region = page.getElementById("sales-list");
    const body = region?.querySelector("table.sales tbody");
    const old = rows(list());
    waiting = false;
    if (!body || !old.length) return html;
    if (region.getAttribute("hx-get") !== list().getAttribute("hx-get")) return html; // another list was asked for
    const here = new Set(old.map((row) => row.id));
    const told = rows(region);
    const fresh = told.filter((row) => !here.has(row.id));
    if (!taken()) {
      release = false;
      if (fresh.length || told.length < old.length) moved = performance.now();
      return html;
    }
    const gone = old.filter((row) => !region.querySelector("#" + row.id));
    if (!fresh.length && !gone.length) return html;
    // Each row stays where it is. One that the answer lacks fell off the page's end, or
    // is no longer what was searched for: then there is nothing left to do with it here.
    const last = old.findLastIndex((row) => !gone.includes(row));
    body.replaceChildren(...old.map((row, i) => {
      const now = region.querySelector("#" + row.id);
      if (now) return now;
      const copy = page.importNode(row, true);
      if (i < last) copy.querySelectorAll("td:last-child > *, label").forEach((e) => e.remove());
      return copy;
    }));
    waiting = fresh.length > 0 || gone.length > 0;
    if (fresh.length) says(region, fresh, fresh.length === told.length);
    return region.outerHTML;
  }

  // due says whether what waits can be shown: the list is asked for again then.
  const due = () => waiting && !taken();

  function show() {
    release = true;
    window.veinte.refresh();
    // Who has scrolled finds the first of them below what sticks.
    const top = () => list().querySelector("table.sales")?.getBoundingClientRect().top;
    if (top() < 0) document.addEventListener("htmx:afterSwap", () => list().querySelector("table.sales")?.scrollIntoView(), { once: true });
  }
  const settling = () => performance.now() - moved < SETTLES;
  // The sheet goes at the cut-off, and what was pressed on it is not what stands below.
  document.addEventListener("veinte:closed", () => (moved = performance.now() + 2 * SETTLES));
  document.addEventListener("click", (e) => {
    if (e.detail && settling() && e.target.closest("#sales-list table, [data-held]")) {
      e.preventDefault();
      e.stopImmediatePropagation();
    } else if (e.target.closest("[data-held]")) {
      show();
    }
  }, true);
  Object.assign(window.veinte, { hold, held: due, settling });
})();
