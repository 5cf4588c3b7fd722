"use strict";

// The page is complete without this: it adds the filters and what opens at a cell.
const data = JSON.parse(document.getElementById("data").textContent);
const filters = document.getElementById("filters");
const dialog = document.getElementById("details");
const tables = [...document.querySelectorAll(".matrix tbody")];

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text; // never markup: the text comes from the library under test
  return made;
}

function definitions(values) {
  const list = document.createElement("dl");
  for (const [name, value] of Object.entries(values)) {
    if (value !== "") list.append(element("dt", name), element("dd", value));
  }
  return list;
}

const HEADINGS = {
  crashed: "The smallest input that crashes",
  timeout: "The smallest input that takes too long",
  failed: "The smallest input that fails",
  raised: "The smallest input that raises",
  unsupported: "Not supported",
  recorded: "Recorded",
};

function open(cell) {
  const { title, chapter, counts, example } = data[cell];
  dialog.querySelector("h2").textContent = title;
  const numbers = Object.entries(counts).map(([verdict, number]) => `${number} ${verdict}`);
  const content = [element("p", `${chapter}: ${numbers.join(", ")}`)];
  if (example) {
    const { verdict, ...parts } = example;
    content.push(element("h3", HEADINGS[verdict]));
    content.push(definitions(parts));
  }
  dialog.querySelector("div").replaceChildren(...content);
  dialog.showModal(); // Esc closes it, and the focus returns to the cell
}

for (const cell of document.querySelectorAll("[data-cell]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("aria-haspopup", "dialog");
  button.append(...(cell.querySelector("a") ?? cell).childNodes);
  button.addEventListener("click", () => open(cell.dataset.cell));
  cell.replaceChildren(button);
}

// The arrow keys go from cell to cell, past rows that are filtered out.
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
document.querySelector(".matrix").addEventListener("keydown", (event) => {
  const cell = event.target.closest("[data-cell]");
  const step = STEPS[event.key];
  if (!cell || !step) return;
  event.preventDefault();
  const rows = tables.flatMap((body) => [...body.querySelectorAll("tr[data-row]:not([hidden])")]);
  let row = rows.indexOf(cell.parentElement);
  let column = cell.cellIndex;
  do {
    row += step[0];
    column += step[1];
  } while (rows[row]?.cells[column] && !rows[row].cells[column].querySelector("button"));
  rows[row]?.cells[column]?.querySelector("button")?.focus();
});

const FAILING = ["crashed", "timeout", "failed", "raised"];
const entries = tables.flatMap((body) =>
  [...body.querySelectorAll("tr[data-row]")].map((row) => {
    const cells = [...row.querySelectorAll("[data-cell]")];
    const statuses = new Set(cells.map((cell) => cell.className));
    if (FAILING.some((status) => statuses.has(status))) statuses.add("failing");
    const texts = cells.map((cell) => Object.values(data[cell.dataset.cell].example ?? {}).join(" "));
    const text = [row.cells[0].textContent, ...texts].join(" ").toLowerCase();
    return { row, statuses, text, chapter: body.dataset.chapter };
  }),
);

function filter() {
  const { chapter, status, text } = Object.fromEntries(new FormData(filters));
  const wanted = text.trim().toLowerCase();
  let shown = 0;
  for (const entry of entries) {
    const show =
      (!chapter || entry.chapter === chapter) &&
      (!status || entry.statuses.has(status)) &&
      entry.text.includes(wanted);
    entry.row.hidden = !show;
    shown += show;
  }
  for (const body of tables) body.hidden = !body.querySelector("tr[data-row]:not([hidden])");
  filters.querySelector("output").textContent = `${shown} of ${entries.length}`;
}

filters.addEventListener("input", filter);
filters.addEventListener("reset", () => setTimeout(filter)); // after the fields are empty
filters.addEventListener("submit", (event) => event.preventDefault());
filters.hidden = false;
filter();
