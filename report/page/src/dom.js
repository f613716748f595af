// Elements of the page. Texts always become text nodes.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function section(id, title, ...children) {
  const heading = el("h2", { id: `${id}-title` }, title);
  return el("section", { id, "aria-labelledby": `${id}-title` }, heading, ...children);
}

/** Returns a table of rows of cells. Numbers are right-aligned; null is shown as "–". */
export function table(columns, rows, caption) {
  const cell = (value) =>
    el("td", { class: typeof value === "number" ? "number" : null }, toText(value));
  const head = columns.map((title) => el("th", { scope: "col" }, title));
  return el(
    "div",
    { class: "scroll" },
    el(
      "table",
      {},
      caption ? el("caption", {}, caption) : null,
      el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell)))),
    ),
  );
}

export function toText(value) {
  if (value === null || value === undefined || value === "") return "–";
  return typeof value === "number" ? number(value) : String(value);
}

/** Formats a number with at least four significant digits; digits before the point are never cut
 *  off. */
export function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const digits = size >= 1000 || value === 0 ? 0 : size >= 1 ? 3 - Math.floor(Math.log10(size)) : 4;
  return value.toLocaleString("en-GB", { maximumFractionDigits: Math.max(0, digits) });
}

export const percent = (share) => (share === null ? null : `${number(share * 100)} %`);
export const gib = (bytes) => bytes / 2 ** 30;
