// What is written for somebody else goes to them by what the machine has for it,
// else into the clipboard. Without either, or without script, the text stands on
// the page.
(() => {
  "use strict";
  for (const button of document.querySelectorAll("[data-send]")) {
    const words = button.querySelector("span");
    const source = document.querySelector(button.dataset.send);
    if (!navigator.share) words.textContent = button.dataset.copies;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = source.textContent;
      if (navigator.share) {
        try {
          await navigator.share({ text });
          return;
        } catch (e) {
          if (e.name === "AbortError") return; // they thought better of it
        }
      }
      try {
        await navigator.clipboard.writeText(text);
        words.textContent = button.dataset.done;
      } catch {
        const folded = source.closest("details");
        if (folded) folded.open = true;
        source.focus();
        getSelection().selectAllChildren(source); // ready for the keyboard
      }
    });
  }
})();
