// The report page: reads its data and lays out the sections.
import { Board } from "./board.js";
import { showComparison, showSweep } from "./comparison.js";
import { el, section } from "./dom.js";
import { Filter } from "./filter.js";
import { gantt } from "./gantt.js";
import { jobCharts } from "./jobs.js";
import { jobsTable } from "./jobs_table.js";
import { efficiencyCharts, latencyCharts, latencyTable } from "./latency.js";
import { look } from "./look.js";
import { environment, figures, heading, policies } from "./overview.js";
import { policyCharts } from "./policy.js";
import { usageCharts } from "./usage.js";

const page = document.getElementById("page");
const data = JSON.parse(document.getElementById("data").textContent);
const filter = new Filter();
const board = new Board(filter);

function charts(list) {
  return el("div", { class: "charts" }, ...list.map((chart) => board.add(chart)));
}

/** Returns a section with these charts and elements, or null if there are none. */
function part(id, title, list, ...more) {
  const others = more.filter(Boolean);
  if (list.length + others.length === 0) return null;
  return section(id, title, list.length > 0 ? charts(list) : null, ...others);
}

/** Returns the sections about one run. */
function detail(run) {
  const redraw = () => board.drawAll((chart) => chart.id === "gantt");
  const hasBars = run.bars.phase?.length > 0;
  return [
    part("containers", "Containers", hasBars ? [gantt(run, filter, redraw)] : []),
    part("usage", "Allocated and used", usageCharts(run, filter)),
    part("policy", "The policy's state", policyCharts(run, filter)),
    part("efficiency", "Allocation efficiency", efficiencyCharts(run)),
    part("latency", "Latencies", latencyCharts(run), latencyTable(data.runs)),
  ].filter(Boolean);
}

function showRuns() {
  const { runs } = data;
  const place = el("div", { id: "detail" });
  const all = jobCharts(runs, filter);
  page.append(
    el("header", {}, ...heading(runs)),
    section("summary", "Summary", figures(runs), policies(runs)),
    ...[part("jobs", "Jobs", all, jobsTable(runs, filter))].filter(Boolean),
    ...(runs.length > 1 ? [runChoice(runs, place)] : []),
    place,
    section("environment", "Environment", environment(runs)),
  );
  place.append(...detail(runs[0]));
  return board.drawAll();
}

/** Choice of the run that is shown in detail. */
function runChoice(runs, place) {
  const show = (event) => {
    const ids = new Set([...place.querySelectorAll(".chart")].map((chart) => chart.id));
    board.drop((chart) => ids.has(`chart-${chart.id}`));
    const before = new Set(board.charts);
    place.replaceChildren(...detail(runs[Number(event.target.value)]));
    const added = board.charts.filter((entry) => !before.has(entry)).map((entry) => entry.chart);
    board.drawAll((chart) => added.includes(chart));
  };
  return el(
    "p",
    { class: "controls", id: "run-choice" },
    el("label", { for: "run" }, "In detail below: "),
    el(
      "select",
      { id: "run", onchange: show },
      ...runs.map((run, i) => el("option", { value: i }, run.label)),
    ),
  );
}

/** The bar at the top: the filter, and the choice of colors. */
function tools() {
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
  const nodes = [
    ...new Set((data.runs ?? []).flatMap((run) => run.nodes.map((node) => node.name))),
  ];
  const node = el(
    "select",
    { "aria-label": "node", id: "node", onchange: (event) => pickNode(event.target) },
    el("option", { value: "" }, "node …"),
    ...nodes.map((name) => el("option", { value: name }, name)),
  );
  return data.kind === "runs" ? [search, node, chips, clear] : [];
}

function pickNode(select) {
  if (select.value) filter.pick("nodes", select.value, true);
  select.value = "";
}

function themeSwitch() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = el("button", { type: "button", id: "theme" });
  const set = (theme) => {
    look(theme).palette.forEach((colour, i) =>
      document.documentElement.style.setProperty(`--palette-${i}`, colour),
    );
    board.theme = theme;
    document.documentElement.dataset.theme = theme;
    button.textContent = theme === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `${button.textContent} colours`);
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

function redrawWideOnes() {
  let timer = null;
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(timer);
    timer = setTimeout(() => board.drawAll((chart) => chart.wide), 200);
  });
}

async function show() {
  page.before(
    el("nav", { class: "tools", "aria-label": "filters and colours" }, ...tools(), themeSwitch()),
  );
  if (data.kind === "compare") showComparison(page, data, board);
  else if (data.kind === "sweep") showSweep(page, data, board);
  document.title = `Heddle: ${data.scenario ?? data.runs.map((run) => run.summary.scenario)[0]}`;
  await (data.kind === "runs" ? showRuns() : board.drawAll());
  redrawWideOnes();
  // Tells tests that everything is drawn, and gives them access to it.
  window.heddle = { board, filter };
  document.documentElement.dataset.ready = "true";
}

show().catch((error) => {
  const text = `What is in this page can not be shown: ${error.message}`;
  page.append(el("p", { class: "warning", role: "alert" }, text));
  throw error;
});
