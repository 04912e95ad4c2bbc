// A counter device, which several people share.
(() => {
  "use strict";

  // Where they take turns: whoever has pressed their name, or begins to type, types the PIN.
  const chooser = document.querySelector("form[data-counter]");
  if (chooser) {
    const pin = chooser.elements.pin;
    chooser.addEventListener("click", (e) => e.detail && e.target.closest("label.person") && pin.focus());
    chooser.addEventListener("keydown", (e) => e.target.name === "person" && /^\d$/.test(e.key) && pin.focus());
    return;
  }

  // A page that somebody has left asks who is there. The server ends the session; what is
  // done here in between is told to it, because typing asks for nothing by itself.
  const TELL = 15000; // how often at most
  const AGAIN = 5000; // after a question that nobody answered
  let told = performance.now();
  let acted = false; // since then
  let timer;

  async function ask(byItself) {
    let wait = AGAIN;
    try {
      const answer = await fetch("/counter/rest", { headers: byItself ? { "Veinte-Poll": "1", "HX-Request": "true" } : { "HX-Request": "true" }, cache: "no-store" });
      if (answer.status === 401) return rest();
      if (answer.ok) wait = ((await answer.json()).left + 1) * 1000;
    } catch {
      // Offline: it is asked again.
    }
    clearTimeout(timer);
    timer = setTimeout(due, wait);
  }

  function due() {
    const byItself = !acted;
    acted = false;
    told = performance.now();
    ask(byItself);
  }

  for (const kind of ["pointerdown", "keydown", "input"]) {
    document.addEventListener(kind, () => {
      acted = true;
      if (performance.now() - told >= TELL) due();
    }, { passive: true, capture: true });
  }
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && due());

  // What was typed in a sheet goes along, and is there again for whoever typed it.
  function rest() {
    const page = document.querySelector("form [name=page]");
    if (!page) return location.replace(location.pathname + location.search); // never what was posted
    const form = document.createElement("form");
    form.method = "post";
    form.action = "/counter/rest";
    for (const [name, value] of new FormData(page.form)) {
      if (typeof value !== "string" || page.form.elements[name].type === "password") continue;
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = name;
      field.value = value;
      form.append(field);
    }
    document.body.append(form);
    form.submit();
  }
  if (window.veinte) window.veinte.rest = rest;
  ask(true);
})();
