// The search answers while one types: what is on the page at once, what else there is
// once the hand rests. Without this the form searches when it is sent.
(() => {
  "use strict";
  const RESTS = 150; // milliseconds without a key
  const AGAIN = 3000; // after a question that nobody answered
  const field = document.getElementById("f-q");
  const list = () => document.getElementById("sales-list");
  if (!window.htmx || !field || !list()) return;
  let soon;
  let state; // of the last question: asked, answered, or sent with Enter before its answer came
  // The form's own address, as formdata leaves it: never with a whole card number.
  const address = () => "?" + new URLSearchParams(new FormData(field.form));
  let asked = address();

  const bare = (text) => text.toLowerCase().replace(/[\s$,·.-]/g, "");
  const sought = () => field.value.split(/\s+/).map(bare).filter(Boolean);
  const rows = () => [...list().querySelectorAll("tr[id^=sale-]")];
  // What a ticket says of a sale: amount, brand and last digits, time, order number. The
  // terminal at the end of an order number tells nothing of a sale.
  const cells = (row) => row.querySelectorAll("th, td:has(> b), td:nth-last-child(5), td:nth-last-child(2)");
  const order = (row) => bare(inOrder(row));
  const has = (row, word) => order(row).startsWith(word) || [...cells(row)].some((cell) => bare(cell.textContent).includes(word));
  const within = (row) => sought().every((word) => has(row, word));

  // A long number that is no money and begins with no date may be the beginning of a
  // card's: it is only sent whole, when it can be told.
  function mayBeCard() {
    const money = /^\$?[\d,]*\d[.,]\d{0,2}$/;
    const digits = bare(field.value.split(/\s+/).filter((word) => !money.test(word)).join(""));
    return /^\d{7,}$/.test(digits) && !/^2\d(0[1-9]|1[0-2])([0-2]\d|3[01])/.test(digits);
  }

  // What the list says is of the text that it was asked for, and holds for no other.
  function stale() {
    const is = field.value.trim() !== list().dataset.searched;
    if (is) list().dataset.asking = mayBeCard() || address().includes("card=") ? "whole" : "soon";
    else delete list().dataset.asking;
    return is;
  }

  // narrow shows what of the page has the text until its answer comes; of what is not
  // sent none does, so it holds for rows that come later too.
  function narrow() {
    const match = rows().filter(within);
    for (const row of rows()) row.hidden = (match.length > 0 || mayBeCard()) && !match.includes(row);
    const whole = document.querySelector("[data-find-whole]");
    whole.textContent = inWords["sales.findWhole"];
    whole.hidden = !mayBeCard();
    for (const form of list().querySelectorAll("form")) delete form.dataset.touched; // it asks for the text
    stale();
    mark();
  }

  // mark shows where a row has what is looked for, and changes nothing in it.
  function mark() {
    const ranges = [];
    const words = sought();
    for (const cell of words.length && window.CSS?.highlights ? rows().flatMap((row) => [...cells(row)]) : []) {
      const places = [];
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) [...texts.currentNode.data].forEach((c, i) => bare(c) && places.push([texts.currentNode, i, c.toLowerCase()]));
      for (const word of words) {
        const at = places.map((p) => p[2]).join("").indexOf(word);
        if (at < 0) continue;
        const range = new Range();
        range.setStart(places[at][0], places[at][1]);
        range.setEnd(places[at + word.length - 1][0], places[at + word.length - 1][1] + 1);
        ranges.push(range);
      }
    }
    window.CSS?.highlights?.set("found", new Highlight(...ranges));
  }

  async function ask() {
    clearTimeout(soon);
    const to = address();
    if (to === asked || to.includes("card=") || mayBeCard()) return;
    asked = to;
    state = "asked";
    history.replaceState(history.state, "", "/sales" + (to.length > 1 ? to : ""));
    await htmx.ajax("GET", "/sales" + to + "&fragment=list", { source: list(), target: list(), swap: "morph:outerHTML" });
    const says = document.querySelector("[data-cutoff-say]");
    if (says) says.textContent = list().querySelector(".sums")?.textContent || "";
  }

  field.addEventListener("input", () => {
    narrow();
    clearTimeout(soon);
    soon = setTimeout(ask, RESTS);
  });
  document.addEventListener("htmx:afterRequest", (e) => {
    if (!e.detail.pathInfo?.requestPath.startsWith("/sales" + asked + "&")) return;
    const was = state;
    state = e.detail.successful ? "answered" : undefined;
    if (was === "sent" && state) goOn();
    else if (was === "sent") field.form.submit(); // the browser says what is wrong
    if (state || was !== "asked") return;
    asked = ""; // no answer came, so the same is asked again
    clearTimeout(soon);
    soon = setTimeout(ask, AGAIN);
  });
  // Enter leads to the one sale that was found, or to its days where several have one. What
  // was asked already is not loaded again: whoever goes on by keyboard is in the list by
  // then, and would lose their place.
  const goOn = () => rows().length === 1 && list().querySelector("[data-testid=beside] a, tr[id^=sale-] th a").focus();
  field.form.addEventListener("submit", (e) => {
    clearTimeout(soon);
    if (!state || address() !== asked) return;
    e.preventDefault();
    if (state === "asked") state = "sent";
    else goOn();
  });
  // Another day or one filter less: of what is typed now.
  document.addEventListener("click", (e) => {
    const link = e.target.closest(".near-days a, .filter-chip");
    const typed = new URLSearchParams(address());
    if (!link || typed.has("card") || mayBeCard()) return;
    const to = new URLSearchParams(link.search);
    to.delete("q");
    if (typed.get("q")) to.set("q", typed.get("q"));
    link.search = to;
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (address() !== asked) return narrow();
    stale();
    mark();
  });
  // The camera reads a ticket's code, where the browser knows codes by itself.
  if (window.BarcodeDetector && navigator.mediaDevices) {
    const scan = Object.assign(document.createElement("button"), { className: "button scan", type: "button", ariaLabel: inWords["scan.open"] });
    const icon = field.form.querySelector(".icon").cloneNode(true);
    icon.firstChild.setAttribute("href", icon.firstChild.getAttribute("href").replace(/#.*/, "#scan-line"));
    scan.append(icon);
    scan.dataset.scan = "";
    BarcodeDetector.getSupportedFormats().then((formats) => formats.length && field.form.querySelector(".search-go").before(scan));
    scan.addEventListener("click", () => {
      if (window.veinte?.scan) return window.veinte.scan(scan);
      const script = Object.assign(document.createElement("script"), { src: inFiles["scan.js"] });
      script.addEventListener("load", () => window.veinte.scan(scan));
      document.head.append(script);
    });
  }
  // The terminal that was chosen is in sight among the others.
  const chosen = list().querySelector(".chips [aria-current]");
  if (chosen) chosen.closest("ul").scrollLeft = Math.max(0, chosen.offsetLeft + chosen.offsetWidth - chosen.closest("ul").clientWidth);
  window.addEventListener("pageshow", () => {
    mark();
    if (!stale()) return;
    asked = ""; // the browser has put back what was typed here
    ask();
  });
})();
