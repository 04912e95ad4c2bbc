// The live region: while the page is seen and its region says data-live, the
// region asks for itself again every three seconds. idiomorph changes only what
// differs, so scroll, focus and an open sheet survive.
(() => {
  "use strict";
  const EVERY = 3000;
  const region = () => document.querySelector("[data-live][hx-get]");
  if (!window.htmx || !region()) return;
  let inFlight = false;
  let last = performance.now();

  function refresh() {
    const r = region();
    if (!r || inFlight || document.visibilityState !== "visible") return;
    last = performance.now();
    htmx.trigger(r, "refresh");
  }

  function stale(is) {
    for (const e of document.querySelectorAll("[data-stale]")) e.hidden = !is;
  }

  document.addEventListener("htmx:beforeRequest", (e) => {
    if (e.detail.elt.hasAttribute("data-live")) inFlight = true;
  });
  document.addEventListener("htmx:afterRequest", (e) => {
    if (!e.detail.elt.hasAttribute("data-live")) return;
    inFlight = false;
    stale(!e.detail.successful);
    if (e.detail.xhr.status === 401) location.reload();
  });
  document.addEventListener("htmx:beforeSwap", (e) => {
    const elt = e.detail.elt;
    if (!elt.hasAttribute("data-live") || !e.detail.shouldSwap) return;
    // Anything but the region itself, such as a sign-in page, is no news.
    if (!e.detail.serverResponse.includes(`id="${elt.id}"`)) {
      e.detail.shouldSwap = false;
      location.reload();
    }
  });
  document.addEventListener("htmx:afterSwap", () => {
    const r = document.querySelector("[data-live], #story, #sales-list");
    if (r && r.dataset.now && window.veinte) window.veinte.sync(r.dataset.now);
  });
  document.addEventListener("visibilitychange", refresh);
  setInterval(() => performance.now() - last >= EVERY && refresh(), 500);
})();
