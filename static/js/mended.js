// A form that came back with what is wrong.
(() => {
  "use strict";

  // What was wrong with a field is no longer said once it is another, or no longer asked
  // for. Its room stays, so that nothing moves under the hand.
  document.addEventListener("input", (e) => {
    const either = e.target.closest("[data-either]")?.querySelectorAll(".has-error");
    for (const field of either ?? [e.target.closest(".has-error")]) {
      field?.classList.add("mended");
      field?.querySelectorAll("[aria-invalid]").forEach((of) => of.removeAttribute("aria-invalid"));
    }
    const summary = e.target.form?.querySelector("[data-error-summary]");
    for (const to of summary?.querySelectorAll("a[href^='#f-']") ?? []) {
      const field = document.getElementById(to.hash.slice(1));
      if (!field?.checkVisibility() || field.closest(".mended")) to.closest("li").remove();
    }
    if (summary && !summary.querySelector("li")) summary.remove();
  });
})();
