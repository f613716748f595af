// Frame of every page: the bar at the top, the panel at the bottom, and what the parts of a page
// share.
import { Board } from "./board.js";
import { Colouring } from "./colouring.js";
import { el } from "./dom.js";
import { Filter } from "./filter.js";
import { Layout } from "./layout.js";
import { look } from "./look.js";
import { Panel } from "./panel.js";
import { endOf } from "./time.js";

/** Makes the frame. Returns the context of a page: {board, filter, layout, colouring, panel, bar,
 *  status, take(runs, whyUrl)}. */
export function makeFrame(root) {
  const filter = new Filter();
  const board = new Board(filter);
  const colouring = new Colouring();
  colouring.listeners.push(() => board.drawAll());
  const panel = new Panel(filter);
  const filters = makeFilters(filter, panel);
  const status = el("span", { id: "live", role: "status", hidden: true });
  const bar = el(
    "nav",
    { class: "tools", "aria-label": "filters and colors" },
    filters.element,
    status,
    themeSwitch(board),
  );
  root.before(bar);
  root.after(panel.element);
  drawWideOnes(board);
  const layout = new Layout(root, board);
  /** Tells all parts what runs the page shows. `whyUrl`: as for Panel.update(). */
  function take(runs, whyUrl) {
    board.end = endOf(runs);
    colouring.update(runs);
    panel.update(runs, whyUrl);
    filters.offerNodes([...new Set(runs.flatMap((run) => run.nodes.map((node) => node.name)))]);
  }
  return { board, filter, layout, colouring, panel, bar, status, take };
}

/** The filter of jobs and nodes; hidden until there are nodes to choose. */
function makeFilters(filter, panel) {
  const chips = el("span", { class: "chips" });
  const search = el("input", {
    type: "search",
    placeholder: "filter jobs",
    "aria-label": "show jobs whose name contains",
    oninput: (event) => filter.search(event.target.value),
  });
  const clear = el(
    "button",
    { type: "button", id: "clear", onclick: () => filter.clear() },
    "show all",
  );
  const chip = (kind, name) =>
    el(
      "button",
      {
        type: "button",
        "aria-label": `no longer only ${name}`,
        onclick: () => filter.pick(kind, name, true),
      },
      `${name} ×`,
    );
  const update = () => {
    chips.replaceChildren(
      ...[...filter.jobs].map((name) => chip("jobs", name)),
      ...[...filter.nodes].map((name) => chip("nodes", name)),
    );
    clear.disabled = filter.isEmpty;
    if (search.value !== filter.text) search.value = filter.text;
  };
  filter.listeners.push(update);
  update();
  const node = el("select", { "aria-label": "node", id: "node", onchange: () => pickNode() });
  function pickNode() {
    if (node.value) panel.pickNode(panel.runs[0].label, node.value, true);
    node.value = "";
  }
  const element = el("span", { class: "filters", hidden: true }, search, node, chips, clear);
  return {
    element,
    offerNodes: (names) => {
      element.hidden = false;
      if (node.options.length === names.length + 1) return;
      node.replaceChildren(
        el("option", { value: "" }, "node …"),
        ...names.map((name) => el("option", { value: name }, name)),
      );
    },
  };
}

function themeSwitch(board) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = el("button", { type: "button", id: "theme" });
  const set = (theme) => {
    look(theme).palette.forEach((colour, i) =>
      document.documentElement.style.setProperty(`--palette-${i}`, colour),
    );
    board.theme = theme;
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `${button.textContent} colors`);
  };
  const change = (theme) => {
    set(theme);
    return board.drawAll();
  };
  set(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => change(dark.matches ? "dark" : "light"));
  button.addEventListener("click", () => change(board.theme === "dark" ? "light" : "dark"));
  return button;
}

function drawWideOnes(board) {
  let timer = null;
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(timer);
    timer = setTimeout(() => board.drawAll(), 200);
  });
}
