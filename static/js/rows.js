// What is read of a row of today's list. Its bytes are dear, so a row says nothing twice.
// inOrder is its order number, of which one that terminals write is shown without its end,
// the terminal, which has a column of its own.
function inOrder(row) {
  const shown = row.querySelector("td:nth-last-child(2)");
  const terminal = shown.querySelector("i") ? "-" + /\d{10}$/.exec(row.querySelector("td:nth-last-child(4) small").textContent) : "";
  return shown.textContent.replace("·", "") + terminal;
}
