// Table of all jobs of the runs. The table can be sorted, and its rows filter the page.
import { el, toText } from "./dom.js";
import { jobRows } from "./data.js";
import { look } from "./look.js";

// Jobs have the same colors as in the Gantt chart.
const PALETTE_SIZE = look("light").palette.length;
const COLUMNS = [
  ["name", "job"],
  ["run", "run"],
  ["state", "state"],
  ["class", "class"],
  ["queue", "queue"],
  ["submit_s", "submitted, s"],
  ["start_s", "first start, s"],
  ["finish_s", "end, s"],
  ["waiting_s", "waiting, s"],
  ["completion_s", "completion, s"],
  ["alone_s", "completion alone, s"],
  ["slowdown", "slowdown"],
  ["bounded_slowdown", "bounded slowdown"],
  ["tasks", "tasks"],
  ["attempts", "attempts"],
  ["oom_kills", "OOM kills"],
];

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
}

// Columns that are left out if no job has a value.
const SOMETIMES = ["class", "alone_s", "slowdown", "bounded_slowdown"];

/** Returns the columns to show. */
function columns(runs, jobs) {
  return COLUMNS.filter(([key]) => key !== "run" || runs.length > 1).filter(
    ([key]) => !SOMETIMES.includes(key) || jobs.some((job) => (job[key] ?? null) !== null),
  );
}

export function jobsTable(runs, filter) {
  const jobs = runs.flatMap(jobRows);
  const shown = columns(runs, jobs);
  const order = { key: null, down: false };
  const body = el("tbody");
  const heads = shown.map(([key, title]) =>
    el(
      "th",
      { scope: "col", "data-key": key },
      el("button", { type: "button", onclick: () => sortBy(key) }, title),
    ),
  );
  const count = el("p", { class: "muted", role: "status" });

  function sortBy(key) {
    order.down = order.key === key && !order.down;
    order.key = key;
    fill();
  }
  const places = new Map(runs[0].summary.jobs.map((job, i) => [job.name, i]));
  const swatch = (name) =>
    el("span", {
      class: "swatch",
      "aria-hidden": "true",
      style: `background: var(--palette-${(places.get(name) ?? 0) % PALETTE_SIZE})`,
    });
  function row(job) {
    const cells = shown.map(([key]) => {
      if (key === "name") {
        const pick = (event) => filter.pick("jobs", job.name, event.shiftKey);
        const pressed = String(filter.jobs.has(job.name));
        return el(
          "th",
          { scope: "row" },
          swatch(job.name),
          el("button", { type: "button", "aria-pressed": pressed, onclick: pick }, job.name),
        );
      }
      const isNumber = typeof job[key] === "number";
      const reason = key === "state" ? job.reason : null;
      return el(
        "td",
        { class: isNumber ? "number" : null, title: reason },
        isNumber ? fixed(key, job[key]) : toText(job[key]),
      );
    });
    return el("tr", { class: job.state === "failed" ? "failed" : null }, ...cells);
  }
  function fill() {
    const kept = jobs.filter((job) => filter.job(job.name));
    if (order.key !== null)
      kept.sort((a, b) => compare(a[order.key], b[order.key]) * (order.down ? -1 : 1));
    body.replaceChildren(...kept.map(row));
    heads.forEach((head) => {
      const is = head.dataset.key === order.key;
      if (is) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    count.textContent = `${kept.length} of ${jobs.length} shown. A job's name chooses it everywhere; with Shift, one more.`;
  }

  filter.listeners.push(fill);
  fill();
  return el(
    "div",
    {},
    count,
    el(
      "div",
      { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "jobs" },
      el("table", { id: "jobs-table" }, el("thead", {}, el("tr", {}, ...heads)), body),
    ),
  );
}

/** Formats times with a fixed number of decimals, so that they can be compared. */
const fixed = (key, value) =>
  key.endsWith("_s") || key.endsWith("slowdown") ? value.toFixed(2) : String(value);
