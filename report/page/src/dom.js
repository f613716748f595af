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

/** Returns a table of rows of cells. Numbers are right-aligned; null is shown as "–". With
 *  `firstIsName`, the first cell of a row names it and stays in view. */
export function table(columns, rows, { caption, firstIsName = true } = {}) {
  const cell = (value) =>
    el(
      "td",
      { class: typeof value === "number" ? "number" : null },
      value instanceof Node ? value : toText(value),
    );
  const name = (value) => el("th", { scope: "row" }, toText(value));
  const row = ([first, ...rest]) => [firstIsName ? name(first) : cell(first), ...rest.map(cell)];
  const head = columns.map((title) => el("th", { scope: "col" }, title));
  return scrollable(
    el(
      "table",
      { class: firstIsName ? "named" : null },
      caption ? el("caption", {}, caption) : null,
      el("thead", {}, el("tr", {}, ...head)),
      el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...row(cells)))),
    ),
  );
}

/** Puts content into a frame that scrolls and that has a shadow at each side on which it goes on.
 *  With `tall`, the frame also scrolls up and down. */
export function scrollable(content, { tall = false, label = null } = {}) {
  const attributes = label ? { tabindex: "0", role: "region", "aria-label": label } : {};
  const scroll = el("div", { class: tall ? "scroll tall" : "scroll", ...attributes }, content);
  const frame = el("div", { class: "frame" }, scroll);
  const mark = () => {
    const rest = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft;
    frame.classList.toggle("more-right", rest > 1);
    frame.classList.toggle("more-left", scroll.scrollLeft > 1);
  };
  scroll.addEventListener("scroll", mark, { passive: true });
  const observer = new ResizeObserver(mark);
  observer.observe(scroll);
  observer.observe(content);
  return frame;
}

export function toText(value) {
  if (value === null || value === undefined || value === "") return "–";
  return typeof value === "number" ? number(value) : String(value);
}

/** Returns the decimals that give a number of this size four significant digits; digits before the
 *  point are never cut off. */
export function decimals(size) {
  if (size >= 1000 || size === 0) return 0;
  return size >= 1 ? 3 - Math.floor(Math.log10(size)) : 4;
}

/** Formats a number with at least four significant digits, without zeros at its end. */
export function number(value) {
  if (!Number.isFinite(value)) return "–";
  const digits = decimals(Math.abs(value));
  return value.toLocaleString("en-GB", { maximumFractionDigits: digits });
}

/** Formats a number with exactly so many decimals. */
export const decimal = (value, digits) =>
  value.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const percent = (share) => (share === null ? null : `${number(share * 100)} %`);
/** Returns a share in percent with one digit behind the point. */
export const shortPercent = (share) =>
  share === null
    ? null
    : `${(share * 100).toLocaleString("en-GB", { maximumFractionDigits: 1 })} %`;
export const gib = (bytes) => bytes / 2 ** 30;
const isKnown = (value) => value !== null && value !== undefined;
export const seconds = (value) => (isKnown(value) ? `${number(value)} s` : null);
export const fixed = (value, digits = 2) => (isKnown(value) ? value.toFixed(digits) : "–");
