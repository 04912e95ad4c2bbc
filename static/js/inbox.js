// The note of an item of the inbox unfolds in place of its button. Without this file the
// button leads to the page with the note open.
document.addEventListener("click", (e) => {
  const mark = e.target.closest("a[data-mark]");
  if (!mark || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const form = document.querySelector("noted" in mark.dataset ? "#mark-noted" : "#mark").content.firstElementChild.cloneNode(true);
  form.action = mark.dataset.mark;
  form.elements.seen.value = mark.closest("[data-why]").dataset.why;
  mark.replaceWith(form);
  form.elements.note.focus();
});

// Without a connection the note stays where it is, and the page says so: the browser's own
// page would be in its place.
document.addEventListener("submit", (e) => {
  if (!e.target.matches(".review-form")) return;
  const lost = e.target.querySelector("[role=alert]");
  lost.hidden = navigator.onLine;
  if (navigator.onLine) return;
  e.preventDefault();
  e.stopImmediatePropagation();
}, true);
