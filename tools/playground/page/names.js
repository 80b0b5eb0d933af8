// What `ptxray explain --format=json` says of a name, as elements.
import { element } from "./element.js";

/// What is between backquotes is code, and a button where `explain` can be asked about it; addresses are links.
function rich(text, explain) {
  return text.split(/(`[^`]*`|https:\/\/\S+)/).map((part) => {
    if (part.startsWith("https://")) return element("a", { href: part, rel: "noopener", target: "_blank" }, part);
    if (!/^`.*`$/.test(part)) return part;
    const name = part.slice(1, -1);
    return /^([.%][a-z]|[a-z]\w\w)[\w.:]*$/.test(name)
      ? element("button", { class: "name", onclick: () => explain(name) }, name)
      : element("code", {}, name);
  });
}

function example(row, open) {
  const number = row.words && element("span", { class: "number" }, `${row.words[0].trim()}  `);
  const button = row.module && element("button", { class: "open", onclick: () => open(row.module) }, "open");
  const note = row.note && element("p", { class: "note" }, row.note.replace(/`/g, ""));
  return element("div", {}, element("div", { class: "example" }, element("pre", {}, number, row.text), button), note);
}

function table(rows, explain) {
  const cells = (row, name) => row.words.map((cell) => element(name, {}, ...rich(cell, explain)));
  const [head, ...rest] = rows;
  return element(
    "div",
    { class: "wide", tabindex: "0" },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...cells(head, "th"))),
      element("tbody", {}, ...rest.map((row) => element("tr", {}, ...cells(row, "td")))),
    ),
  );
}

function list(rows, explain) {
  const row = ({ words = [], text = "", note, depth = 0 }) =>
    element(
      "tr",
      { class: `depth${depth}` },
      element("td", {}, ...words.flatMap((word) => [element("code", {}, word), " "])),
      element(
        "td",
        {},
        ...rich(text, explain),
        note && element("span", { class: "note" }, " ", ...rich(note, explain)),
      ),
    );
  return element(
    "div",
    { class: "wide", tabindex: "0" },
    element("table", { class: "list" }, element("tbody", {}, ...rows.map(row))),
  );
}

function section({ kind, title, rows }, { explain, open }) {
  if (kind === "part") return [element("h3", {}, ...rich(title, explain))];
  const head = element("h4", {}, ...rich(title, explain));
  if (kind === "text") return [head, ...rows.map((row) => element("p", {}, ...rich(row.text, explain)))];
  if (kind === "code") return [head, ...rows.map((row) => example(row, open))];
  return [head, kind === "table" ? table(rows, explain) : list(rows, explain)];
}

/// `doors`: what explain(name) and open(text) do.
export function page(name, doors) {
  return [
    element("h2", {}, element("code", {}, name.name), " ", element("small", {}, name.kind)),
    element("p", { class: "title" }, ...rich(name.title, doors.explain)),
    ...name.sections.flatMap((one) => section(one, doors)),
  ];
}
