// The live region: while the page is seen and its region says data-live, the
// region asks for itself again every three seconds. idiomorph changes only what
// differs, so scroll, focus and an open sheet survive.
(() => {
  "use strict";
  const EVERY = 3000;
  const region = () => document.querySelector("[data-live][hx-get]");
  if (!window.htmx || !region()) return;
  // A form that somebody is filling in, or has just sent, stays as it is while
  // the rest of the region changes around it.
  document.addEventListener("input", (e) => {
    const form = e.target.closest("[data-live] form");
    if (form) form.dataset.touched = "true";
  });
  // What somebody has unfolded stays so.
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) => !(name === "open" && node.matches("details"));
  Idiomorph.defaults.callbacks.beforeNodeMorphed = (old) =>
    !(old instanceof HTMLFormElement && (old.dataset.touched || old.dataset.sent));
  let inFlight = false;
  let last = performance.now();
  let seen = "";

  function refresh() {
    const r = region();
    if (!r || inFlight || document.visibilityState !== "visible") return;
    last = performance.now();
    htmx.trigger(r, "refresh");
  }

  function stale(is) {
    for (const e of document.querySelectorAll("[data-stale]")) e.hidden = !is;
  }

  // updated writes the time of the last answer. An unchanged list comes from the
  // browser's cache with an older time in it, so the page's own clock is read.
  function updated() {
    const shown = document.querySelector("[data-updated]");
    const offset = /([+-])(\d\d):(\d\d)$/.exec(document.querySelector("[data-testid=cutoff]")?.dataset.cutoff || "");
    if (!shown || !offset || !window.veinte) return;
    const minutes = (offset[1] === "-" ? -1 : 1) * (offset[2] * 60 + +offset[3]);
    shown.textContent = new Date(window.veinte.now() + minutes * 60000).toISOString().slice(11, 19);
  }

  document.addEventListener("htmx:beforeRequest", (e) => {
    if (e.detail.elt.hasAttribute("data-live")) inFlight = true;
  });
  document.addEventListener("htmx:afterRequest", (e) => {
    if (!e.detail.elt.hasAttribute("data-live")) return;
    inFlight = false;
    stale(!e.detail.successful);
    if (e.detail.successful) updated();
    if (e.detail.xhr.status === 401) location.reload();
  });
  document.addEventListener("htmx:beforeSwap", (e) => {
    const elt = e.detail.elt;
    if (!elt.hasAttribute("data-live") || !e.detail.shouldSwap) return;
    // Anything but the region itself, such as a sign-in page, is no news.
    if (!e.detail.serverResponse.includes(`id="${elt.id}"`)) {
      e.detail.shouldSwap = false;
      location.reload();
    } else if (e.detail.serverResponse === seen) {
      e.detail.shouldSwap = false; // nothing new
    } else {
      seen = e.detail.serverResponse;
    }
  });
  document.addEventListener("htmx:afterSwap", () => {
    const r = document.querySelector("[data-live], #story, #sales-list");
    if (r && r.dataset.now && window.veinte) window.veinte.sync(r.dataset.now);
    updated();
  });
  document.addEventListener("visibilitychange", refresh);
  setInterval(() => performance.now() - last >= EVERY && refresh(), 500);
})();
