// The countdown. The page carries the instant at which the window closes and
// the server's now; the time between is counted with a clock that nobody can
// set. After a sleep that clock may have stood still, so the server is asked.
(() => {
  "use strict";
  const STEPS = [60, 15, 5, 0];
  const HOUR = 3600000;
  let box = document.querySelector("[data-testid=cutoff]");
  let server, counted, walled, step, ending;

  // sync takes the server's now from an answer. An answer is never ahead of the
  // server, it may only be late, so the latest instant is the best one. came is
  // when it arrived: of this page itself long before its scripts ran.
  function sync(told, came = performance.now()) {
    const instant = Date.parse(told);
    if (server !== undefined && instant <= now()) return;
    server = instant;
    counted = came;
    walled = Date.now() - (performance.now() - came);
  }

  // now is the server's time in milliseconds, also for others on the page.
  function now() {
    return server + (performance.now() - counted);
  }

  const root = box || document.querySelector("[data-now]");
  if (!root) return;
  sync(root.dataset.now, performance.getEntriesByType("navigation")[0]?.responseStart);
  window.veinte = { now, sync };

  function format(ms) {
    const s = Math.max(0, Math.floor(ms / 1000));
    const two = (n) => String(n).padStart(2, "0");
    if (s >= 3600) return Math.floor(s / 3600) + " h " + two(Math.floor(s / 60) % 60) + " min";
    return s >= 60 ? Math.floor(s / 60) + " min " + two(s % 60) + " s" : s + " s";
  }

  function stepOf(ms) {
    if (ms <= 0) return 0;
    for (const m of [5, 15, 60]) if (ms <= m * 60000) return m;
    return "far";
  }

  function say(which) {
    const line = document.querySelector("[data-cutoff-say]");
    if (line) line.textContent = inWords[which ? "cutoff.say" + which : "cutoff.closed"];
  }

  // drawSheet counts down in an open sheet, which covers the countdown of its page and
  // may close at another time.
  function drawSheet() {
    const shown = document.querySelector("#sheet[data-closes] [data-sheet-left]");
    if (!shown) return;
    const left = Date.parse(shown.closest("#sheet").dataset.closes) - now();
    const text = format(left);
    if (shown.lastElementChild.textContent !== text) shown.lastElementChild.textContent = text;
    shown.hidden = left <= 0;
    shown.closest("#sheet").className = "sheet step-" + stepOf(left);
    shown.closest("#sheet").classList.toggle("last-minute", left <= 60000);
  }

  function draw() {
    drawSheet();
    if (!box) return;
    const left = Date.parse(box.dataset.closes) - now();
    const text = format(left);
    const shown = box.querySelector("[data-left]");
    if (shown && shown.textContent !== text) shown.textContent = text;
    const next = stepOf(left);
    const line = box.querySelector("[data-day]");
    const share = Math.floor(1000 * Math.min(1, Math.max(0, left > 0 && left <= HOUR ? left / HOUR : 1 - left / (12 * HOUR))));
    if (line && line.getAttribute("width") !== String(share)) line.setAttribute("width", share);
    const last = left > 0 && left <= 60000;
    if (next === step && last === ending) return;
    const first = step === undefined;
    const turned = next !== step;
    [step, ending] = [next, last];
    for (const e of box.querySelectorAll("[data-cutoff-last]")) e.hidden = !last;
    for (const e of box.querySelectorAll("[data-cutoff-hour], .cutoff-until [data-cutoff-open]")) e.hidden = last;
    if (!turned) return;
    if (!first) box.classList.add("turned");
    for (const s of [...STEPS, "far"]) box.classList.toggle("step-" + s, s === next);
    for (const e of document.querySelectorAll("[data-cutoff-open]")) e.hidden = next === 0 || (last && e.matches(".cutoff-until *"));
    for (const e of document.querySelectorAll("[data-cutoff-closed]")) {
      e.hidden = next !== 0;
      e.textContent ||= inWords["cutoff.closed"];
    }
    if (first) return;
    if (next !== "far") say(next);
    if (next !== 0) return;
    document.dispatchEvent(new CustomEvent("veinte:closed"));
    window.veinte.refresh?.(); // the rows of the list say so at once
    resync(); // and the bar says how the day ended
  }

  // resync asks for this very page again and reads its instant: no other
  // address knows a demo's shifted clock.
  let asking = false;
  async function resync() {
    if (asking) return;
    asking = true;
    try {
      const began = performance.now();
      const answer = await fetch(location.href, { credentials: "same-origin", cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-testid=cutoff]");
      if (fresh && box) {
        box.dataset.closes = fresh.dataset.closes;
        box.dataset.cutoff = fresh.dataset.cutoff;
        box.querySelector(".cutoff-until")?.replaceWith(document.adoptNode(fresh.querySelector(".cutoff-until")));
        server = undefined; // whatever was counted during the sleep is void
        sync(fresh.dataset.now);
        server += (performance.now() - began) / 2;
        draw();
      }
    } catch {
      // Offline: the clock goes on as it was; the next wake asks again.
    } finally {
      asking = false;
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") resync();
  });
  window.addEventListener("pageshow", (e) => e.persisted && resync());
  // What is polled tells the cut-off too. Where it is another one than we count
  // down to, the rules have changed since this page was drawn.
  let told;
  function compare() {
    const now = document.getElementById("notices")?.dataset.cutoff;
    if (!box || !now || now === box.dataset.cutoff || now === told) return;
    told = now;
    resync();
  }

  setInterval(() => {
    compare();
    // The two clocks part when the machine slept or somebody set the other one.
    if (Math.abs(Date.now() - walled - (performance.now() - counted)) > 200) {
      walled = Date.now() - (performance.now() - counted);
      resync();
    }
    draw();
  }, 250);
  draw();
})();
