// Several sales chosen to be canceled at once: the bar says how many and how much.
// The list changes by itself meanwhile; what is chosen stays so, and when a chosen
// sale can no longer be canceled the bar says that too. Without this the boxes and
// the button work all the same.
(() => {
  "use strict";
  const form = document.getElementById("several");
  if (!form) return;
  const says = form.querySelector("[data-several-says]");
  const hint = says.textContent;
  const most = +form.dataset.most;
  let chosen = new Set(); // of sales, by number
  let gone = 0; // chosen ones that went away, until somebody chooses again

  const boxes = () => [...document.querySelectorAll("input[form=several][name=sale]:checked")];
  const words = (n, one, many) => (n === 1 ? one : many.replace("#", n));
  // The amount stands in the row; as a number of its own it would only be weight.
  const amount = (box) => Math.round(100 * box.closest("tr").querySelector("th").textContent.replace(/[$,]/g, ""));
  const money = (centavos) => "$" + (centavos / 100).toLocaleString("en-US", { minimumFractionDigits: 2 });

  function draw() {
    const now = boxes();
    let text = hint;
    if (now.length) {
      const sum = now.reduce((total, box) => total + amount(box), 0);
      text = words(now.length, says.dataset.one, says.dataset.many) + " · " + money(sum);
    }
    if (now.length > most) text += " · " + says.dataset.tooMany;
    if (gone) text += " · " + words(gone, says.dataset.goneOne, says.dataset.goneMany);
    if (says.textContent !== text) says.textContent = text;
    form.classList.toggle("over", now.length > most);
  }

  document.addEventListener("change", (e) => {
    if (!e.target.matches("input[form=several]")) return;
    chosen = new Set(boxes().map((box) => box.value));
    gone = 0;
    draw();
  });
  function look() {
    const now = new Set(boxes().map((box) => box.value));
    gone += [...chosen].filter((id) => !now.has(id)).length;
    chosen = now;
    draw();
  }
  document.addEventListener("htmx:afterSwap", look);
  // A page that comes back may have its boxes ticked.
  window.addEventListener("pageshow", () => {
    chosen = new Set(boxes().map((box) => box.value));
    draw();
  });
  // At the cut-off there is nothing left to choose.
  document.addEventListener("veinte:closed", () => {
    for (const label of document.querySelectorAll(".sales label")) label.remove();
    form.hidden = true;
  });
})();
