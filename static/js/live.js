// The live region: while the page is seen and its region says data-live, the
// region asks for itself again when the server says that something changed, and
// every few seconds in any case, sooner where it says nothing. idiomorph changes
// only what differs, so scroll, focus and an open sheet survive.
(() => {
  "use strict";
  const UNTOLD = 3000; // while nobody tells of changes
  const TOLD = 15000; // of a list, while somebody does
  const LEAST = 400; // between two questions, however many changes there are
  const STILL = 800; // since the pointer last moved over a story
  const region = () => document.querySelector("[data-live][hx-get]");
  const sheet = () => document.querySelector("#sheet form[data-turns]"); // it turns when a colleague is first
  if (!window.htmx || !(region() || sheet())) return;
  // A form that somebody is filling in, or has just sent, stays as it is while
  // the rest of the region changes around it.
  document.addEventListener("input", (e) => {
    const form = e.target.closest("[data-live] form");
    if (form) form.dataset.touched = "true";
  });
  // One that came back with what is wrong holds what was typed before this page.
  for (const summary of document.querySelectorAll("[data-live] form [data-error-summary]")) summary.closest("form").dataset.touched = "true";
  // What somebody has unfolded stays so, and what they have chosen.
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) =>
    !(name === "open" && node.matches("details")) && !(name === "checked" && node.matches("[name=sale]"));
  // That a request was taken is said once, and stays until its state is another.
  Idiomorph.defaults.callbacks.beforeNodeRemoved = (node) =>
    !(node.matches?.(".taken") && node.parentElement?.id === "truth-requested") && !node.matches?.("[data-kept]") && !ended(node);
  // A form for which nothing is left stays with what somebody typed, and says so.
  function ended(node) {
    const form = node.querySelector?.("form[data-touched][data-ended]");
    if (!form) return false;
    if (form.previousElementSibling?.role === "alert") return true;
    const words = document.createElement("p");
    words.className = "notice";
    words.role = "alert";
    words.textContent = form.dataset.ended;
    form.before(words);
    for (const e of form.elements) e[e.type === "text" ? "readOnly" : "disabled"] = true;
    return true;
  }
  // What came just now shows itself.
  Idiomorph.defaults.callbacks.afterNodeAdded = (node) => node.matches?.(".moment") && node.classList.add("came");
  // A strip that has not changed comes without what is in it.
  Idiomorph.defaults.callbacks.beforeNodeMorphed = (old, now) =>
    !(old instanceof HTMLFormElement && (old.dataset.touched || old.dataset.sent)) && now.dataset?.same === undefined;
  let inFlight = false;
  let last = performance.now();
  let seen = "";
  let waiting = false; // a change that has not been asked about yet
  let changed = 0; // when it came
  let events = null;
  // A button of a story must not slip away under a hand that is about to press it:
  // while the pointer moves over it, changes wait as long as they would untold. The
  // rows of a list stay where they are: see hold.js.
  let hand = -STILL;
  for (const kind of ["pointermove", "pointerdown"]) {
    document.addEventListener(kind, (e) => {
      if (e.target.closest?.("[data-live]:not(#sales-list)")) hand = performance.now();
    }, { passive: true });
  }

  // anew says whether rows that were held back can be shown now; then an answer that
  // is the same as the last one is news.
  const anew = () => window.veinte?.held?.();

  function refresh() {
    const r = region();
    if (!r || inFlight || document.visibilityState !== "visible") return;
    if (anew()) seen = "";
    waiting = false;
    last = performance.now();
    htmx.trigger(r, "refresh");
  }

  // listen keeps a stream open while the page is seen: a browser has few
  // connections for each server, and a hidden tab needs none.
  function listen() {
    if (document.visibilityState !== "visible" || !(region() || sheet())) {
      if (events) events.close();
      events = null;
    } else if (!events || events.readyState === EventSource.CLOSED) {
      events = new EventSource("/events");
      events.addEventListener("changed", () => {
        document.dispatchEvent(new CustomEvent("veinte:changed"));
        if (!waiting) changed = performance.now();
        waiting = true;
      });
    }
  }

  // due says whether it is time to ask. What a story tells is more than the
  // state of its sale, so it asks as often as before.
  function due() {
    const told = events && events.readyState === EventSource.OPEN && ["sales-list", "today"].includes(region()?.id);
    const age = performance.now() - last;
    const still = performance.now() - hand >= STILL || performance.now() - changed >= UNTOLD;
    return age >= (told ? TOLD : UNTOLD) || (age >= LEAST && ((waiting && still) || anew()));
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

  // The first question is only whether the list is still as the page drew it;
  // after that the browser's cache asks the same.
  document.addEventListener("htmx:configRequest", (e) => {
    const { elt, headers, triggeringEvent } = e.detail;
    if (elt.dataset.tag) headers["If-None-Match"] = `"${elt.dataset.tag}"`;
    // For a moment after a swap htmx still knows the address that a region had before.
    if (triggeringEvent?.type !== "refresh") return;
    e.detail.path = elt.getAttribute("hx-get");
    headers["Veinte-Poll"] = "1"; // nobody's act: it keeps no session open
    const strip = elt.querySelector("[data-strip]");
    if (strip) headers["Veinte-Strip"] = strip.dataset.strip;
  });
  document.addEventListener("htmx:beforeRequest", (e) => {
    if (e.detail.elt.hasAttribute("data-live")) inFlight = true;
  });
  document.addEventListener("htmx:afterRequest", (e) => {
    if (!e.detail.elt.hasAttribute("data-live")) return;
    inFlight = false;
    stale(!e.detail.successful);
    if (e.detail.successful) updated();
    if (e.detail.xhr.status === 401) (window.veinte?.rest || (() => location.reload()))();
  });
  document.addEventListener("htmx:beforeSwap", (e) => {
    const elt = e.detail.elt;
    if (!elt.hasAttribute("data-live") || !e.detail.shouldSwap) return;
    if (e.detail.xhr.status === 304) {
      e.detail.shouldSwap = false;
      return;
    }
    // Anything but the region itself, such as a sign-in page, is no news.
    if (!e.detail.serverResponse.includes(`id="${elt.id}"`)) {
      e.detail.shouldSwap = false;
      location.reload();
    } else if (e.detail.serverResponse === seen) {
      e.detail.shouldSwap = false; // nothing new
    } else {
      seen = e.detail.serverResponse;
      if (window.veinte?.hold && elt.id === "sales-list") e.detail.serverResponse = window.veinte.hold(seen);
    }
  });
  document.addEventListener("htmx:afterSwap", () => {
    const r = document.querySelector("[data-live], #story, #sales-list");
    if (r && r.dataset.now && window.veinte) window.veinte.sync(r.dataset.now);
    updated();
  });
  document.addEventListener("visibilitychange", () => {
    listen();
    refresh();
  });
  window.addEventListener("pagehide", () => events && events.close());
  if (window.veinte) window.veinte.refresh = refresh;
  listen();
  setInterval(() => due() && refresh(), 100);
  setInterval(listen, 30000); // a stream that was refused is tried again
})();
