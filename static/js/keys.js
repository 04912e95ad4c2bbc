// Shortcuts: single keys, and so (WCAG 2.1.4) they can be turned off.
(() => {
  "use strict";
  const KEY = "veinte.keys";
  const hint = document.querySelector("[data-keys-hint]");
  if (!hint || !document.querySelector("[data-key]")) return;
  const toggle = hint.querySelector("[data-keys-toggle]");
  let on = true;
  try {
    on = localStorage.getItem(KEY) !== "off";
  } catch {
    // No storage: the choice lasts as long as the page.
  }
  const draw = () => (toggle.textContent = on ? toggle.dataset.off : toggle.dataset.on);
  hint.hidden = false;
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

  document.addEventListener("keydown", (e) => {
    if (!on || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.closest("input, textarea, select, [contenteditable]")) return;
    if (document.querySelector("dialog[open]")) return;
    const field = document.querySelector(`[data-key="${CSS.escape(e.key)}"]`);
    if (!field) return;
    e.preventDefault();
    field.focus();
    field.select?.();
  });
})();
