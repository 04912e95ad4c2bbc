// What an order number tells by itself is filled in where nobody has, and whoever types a
// sale that is in the list already is led to it.
(() => {
  "use strict";
  const form = document.querySelector("[data-testid=entry-form]");
  const { orderId, terminal, date, time } = form.elements;
  const known = form.querySelector("[data-known]");
  const touched = new Set();
  form.addEventListener("input", (e) => touched.add(e.target));

  // YYMMDDhhmmss and the terminal, as terminals write it.
  function fill() {
    const [, year, month, day, hour, minute, serial] = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d\d(?:-?(\d{10}))?$/.exec(orderId.value.trim()) || [];
    if (!year || form.querySelector("[data-error-summary]")) return; // what came back is what somebody typed
    if (!touched.has(date)) date.value = `20${year}-${month}-${day}`; // one that is none is left empty by the browser
    if (!touched.has(time)) time.value = `${hour}:${minute}`;
    const of = serial && [...terminal.options].find((o) => o.text.endsWith(serial));
    if (of && !touched.has(terminal)) terminal.value = of.value;
  }

  async function look() {
    known.hidden = true;
    const order = orderId.value.trim();
    if (order.length < 6 || /^\d{13,19}$/.test(order)) return; // what may be a card's number is not sent to ask
    try {
      const q = new URLSearchParams({ q: order, fragment: "list" });
      if (date.value && date.value !== date.defaultValue) q.set("date", date.value);
      const answer = await fetch("/sales?" + q, { headers: { "Veinte-Poll": "1" }, credentials: "same-origin", cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const row = [...page.querySelectorAll("tr[id^=sale-]")].find((r) => inOrder(r).toUpperCase() === order.toUpperCase());
      if (!row || orderId.value.trim() !== order) return;
      known.querySelector("a").href = row.querySelector("th a").getAttribute("href");
      known.hidden = false;
    } catch {
      // Offline: the server says it when the form is sent.
    }
  }

  orderId.addEventListener("change", () => {
    fill();
    look();
  });
})();
