// What changes by itself shows where it went: a new row slides in, a state fades into the
// next, a sum counts, the sheet leaves towards its row, and an ending closes what it no
// longer needs. What the page says is there at once, and true; only how it looks takes its
// time. Nothing of it moves for whoever wants no movement, and nothing is a layout shift:
// only transforms and things that lie over the page move.
(() => {
  "use strict";
  const SLIDE = { duration: 220, easing: "ease-out" };
  const FADE = { duration: 150 };
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const narrow = matchMedia("(max-width: 40rem)");
  const root = document.documentElement;
  const calm = () => still.matches || document.visibilityState !== "visible";
  const list = () => document.getElementById("sales-list");
  const rows = () => [...document.querySelectorAll("#sales-list tr[id^=sale-]")];
  const sums = () => [...document.querySelectorAll("#sales-list .chip-amount")];
  const top = (e) => e.getBoundingClientRect().top;
  const seen = (e) => top(e) < innerHeight && e.getBoundingClientRect().bottom > 0;
  const chip = (row) => {
    const of = row.querySelector(".state");
    return of && { of, text: of.textContent, box: of.getBoundingClientRect(), look: of.className };
  };
  let before; // of what is about to change

  // over lays something at a place of the page that is gone as soon as it has moved.
  function over({ left, top, width, height }, className, to, timing, text = "") {
    const e = document.createElement("div");
    e.className = "over " + className;
    e.ariaHidden = "true";
    e.textContent = text;
    document.body.append(e);
    const [x, y, w, h] = [left, top, width, height].map((n) => n + "px");
    const at = { left: x, top: y, width: w, height: h, transformOrigin: "0 0" };
    e.animate([at, { ...at, ...to }], { ...timing, fill: "forwards" }).finished.finally(() => e.remove());
    return e;
  }

  // slide lets something that a change has put elsewhere go there from where it was.
  function slide(e, by) {
    if (Math.abs(by) > .5) e.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], SLIDE);
  }

  document.addEventListener("htmx:beforeSwap", (e) => {
    before = undefined;
    if (!e.detail.shouldSwap || calm()) return;
    if (e.detail.elt === list()) {
      before = {
        list: list().getAttribute("hx-get"),
        tops: new Map(rows().map((row) => [row.id, top(row)])),
        chips: new Map(rows().map((row) => [row.id, chip(row)])),
        sums: sums().map((sum) => sum.textContent),
      };
    }
  });

  document.addEventListener("htmx:afterSwap", () => {
    if (!before || !list() || before.list !== list().getAttribute("hx-get")) return;
    const old = before;
    before = undefined;
    const now = rows().filter(seen);
    const stays = now.find((row) => old.tops.has(row.id));
    if (stays) slide(stays.parentElement, old.tops.get(stays.id) - top(stays)); // all of them together
    if (old.tops.size) for (const row of now.filter((r) => !old.tops.has(r.id))) comes(row);
    for (const row of now) fades(old.chips.get(row.id), chip(row));
    const amounts = sums();
    if (amounts.length === old.sums.length) amounts.forEach((sum, i) => counts(sum, old.sums[i]));
  });

  function comes(row) {
    row.animate([{ opacity: 0 }, {}], SLIDE);
    for (const cell of row.children) cell.animate([{ backgroundColor: "var(--accent-soft)" }, {}], { duration: 2000, easing: "ease-in" });
  }

  function fades(was, is) {
    if (!was || !is || was.text === is.text) return;
    is.of.animate([{ opacity: 0 }, {}], FADE);
    over(was.box, was.look, { opacity: 0 }, FADE, was.text);
  }

  // counts shows the way from one sum to the next over the new one, which is there.
  function counts(sum, text) {
    const cents = (s) => +s.replace(/[^\d]/g, "");
    const [from, to] = [cents(text), cents(sum.textContent)];
    if (from === to || !seen(sum)) return;
    const timing = { duration: 400 };
    sum.animate([{ opacity: 0 }, { opacity: 0 }], timing);
    const look = over(sum.getBoundingClientRect(), "chip-amount", {}, timing, text);
    const began = performance.now();
    (function tick() {
      const share = Math.min(1, (performance.now() - began) / timing.duration);
      look.textContent = "$" + ((from + (to - from) * share) / 100).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
      if (look.isConnected) requestAnimationFrame(tick);
    })();
  }

  // leaves shows where a sheet that was not confirmed belongs.
  function leaves(sheet, row) {
    if (calm() || !row || !seen(row)) return;
    const to = row.getBoundingClientRect();
    const from = sheet.getBoundingClientRect();
    const transform = `translate(${to.left - from.left}px, ${to.top - from.top}px) scale(${to.width / from.width}, ${to.height / from.height})`;
    over(from, "sheet-gone", { opacity: 0, transform }, { duration: 200, easing: "ease-in" });
  }

  // The room of a state: the one that follows has what it took, whatever it says, so that
  // nothing below it moves. A reader who changes the width starts anew.
  const room = new CSSStyleSheet();
  document.adoptedStyleSheets = [room];
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) room.replaceSync("");
    width = innerWidth;
  });

  // What a story says besides, such as what a till adds to a sale, may need more room or
  // less: what stands below goes there in a movement, what is around it first.
  const blocks = () => [...document.querySelectorAll("main > *, .story-main > *, .story-side, .story-side > *, .bottom")];
  let stood; // where the blocks of a story were
  document.addEventListener("htmx:beforeSwap", (e) => {
    if (e.detail.elt.id === "several-outcome") root.classList.add("kept");
    if (e.detail.elt.id !== "story") return;
    stood = !e.detail.shouldSwap || calm() ? undefined : new Map(blocks().map((block) => [block, top(block)]));
    const panel = e.detail.elt.querySelector(".truth-kept");
    if (!panel) return;
    root.classList.add("kept");
    room.replaceSync(`.kept .truth { min-height: ${panel.offsetHeight}px }`);
  });

  // At the end, on a phone, where nothing that is pressed stands below, the panel closes
  // around its last words.
  document.addEventListener("htmx:afterSwap", () => {
    if (!stood) return;
    const was = stood;
    stood = undefined;
    const panel = document.querySelector(".truth:not(.truth-kept, .truth-unknown)");
    if (panel && narrow.matches) root.classList.remove("kept");
    for (const e of blocks()) if (was.has(e)) slide(e, was.get(e) - top(e));
  });

  if (window.veinte) window.veinte.leaves = leaves;
})();
