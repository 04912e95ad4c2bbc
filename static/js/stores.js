// Boxes of stores offer what can be typed, and tick each store that is added. Without
// this the server finds what was typed.
(() => {
  "use strict";
  let asked; // the stores, once for the page
  const label = ([, code, name]) => `${code} · ${name}`;
  const fold = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase().trim();

  function offer(box) {
    asked ??= fetch(box.dataset.stores, { headers: { Accept: "application/json" } }).then((r) => (r.ok ? r.json() : []));
    asked.then(
      (stores) => {
        if (box.list.options.length) return;
        box.list.replaceChildren(...stores.map((s) => Object.assign(document.createElement("option"), { value: label(s) })));
      },
      () => (asked = undefined), // asked again with the next focus
    );
  }

  for (const box of document.querySelectorAll("[data-stores]")) {
    box.addEventListener("focus", () => {
      offer(box);
      if (!box.matches("[data-adds]")) box.select(); // typing replaces the store that is chosen
    });
    if (document.activeElement === box) offer(box);
    if (box.matches("[data-adds]")) adds(box);
  }

  function adds(box) {
    const field = box.closest("fieldset");
    const ticked = field.querySelector("[data-ticked]");
    const template = field.querySelector("[data-tick]").content;
    const said = field.querySelector("[data-added]");

    function tick([id, code, name]) {
      let check = ticked.querySelector(`input[value="${id}"]`);
      if (!check) {
        const line = template.cloneNode(true);
        check = line.querySelector("input");
        check.value = id;
        line.querySelector("span").replaceChildren(name + " ", Object.assign(document.createElement("small"), { textContent: code }));
        ticked.append(line);
      }
      check.checked = true;
      said.textContent = `${said.dataset.added}: ${name} (${code})`;
    }

    // take ticks what is a store exactly, and leaves the rest as it was typed.
    async function take() {
      const stores = (await asked?.catch(() => [])) || [];
      const exact = (text) => stores.find((s) => [label(s), s[1], s[2]].some((t) => fold(t) === fold(text)));
      const whole = exact(box.value);
      const left = (whole ? [] : box.value.split(/[,;\t\r\n]+/)).filter((text) => {
        const store = text.trim() && exact(text);
        if (store) tick(store);
        return text.trim() && !store;
      });
      if (whole) tick(whole);
      const text = left.map((t) => t.trim()).join(", ");
      if (text !== box.value) box.value = text;
      return !text;
    }
    // A store that was picked from the list is whole at once.
    box.addEventListener("input", (e) => {
      if (e.inputType === "insertReplacementText" || !e.inputType) take();
    });
    box.addEventListener("change", take);
    box.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" || !box.value.trim()) return;
      e.preventDefault(); // it adds a store, and the button sends the form
      take();
    });
    // A column of a table has a line for each store, and a box has one line.
    box.addEventListener("paste", (e) => {
      const text = e.clipboardData?.getData("text") || "";
      if (!/[\r\n\t]/.test(text)) return;
      e.preventDefault();
      box.setRangeText(text.trim().split(/[\r\n\t]+/).join(", "), box.selectionStart, box.selectionEnd, "end");
      take();
    });
  }
})();
