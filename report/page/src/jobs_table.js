// Table of all jobs of the runs. The table can be sorted. A click on a row selects the job.
import { el, fixed, scrollable, toText } from "./dom.js";
import { jobRows } from "./data.js";

const COLUMNS = [
  ["name", "job"],
  ["run", "run"],
  ["state", "state"],
  ["class", "class"],
  ["queue", "queue"],
  ["user", "user"],
  ["account", "account"],
  ["partition", "partition"],
  ["qos", "QOS"],
  ["framework", "framework"],
  ["submit_s", "submitted, s"],
  ["eligible_s", "eligible, s"],
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
// Columns that are left out if no job has a value.
const SOMETIMES = [
  "class",
  "account",
  "partition",
  "qos",
  "eligible_s",
  "alone_s",
  "slowdown",
  "bounded_slowdown",
];
// Columns that are left out if all jobs have the same value.
const DIFFERING = ["queue", "user", "framework"];

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null);
  return typeof a === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Returns the columns to show. */
function columns(runs, jobs) {
  return COLUMNS.filter(([key]) => {
    const values = new Set(jobs.map((job) => job[key] ?? null));
    if (key === "run") return runs.length > 1;
    if (DIFFERING.includes(key)) return values.size > 1;
    return !SOMETIMES.includes(key) || values.size > 1 || !values.has(null);
  });
}

export class JobsTable {
  constructor({ filter, panel, colouring }) {
    this.filter = filter;
    this.panel = panel;
    this.colouring = colouring;
    this.order = { key: null, down: false };
    this.count = el("p", { class: "muted", role: "status" });
    this.head = el("tr");
    this.body = el("tbody", { onclick: (event) => this.clicked(event) });
    const content = el(
      "table",
      { id: "jobs-table", class: "named" },
      el("thead", {}, this.head),
      this.body,
    );
    this.element = el("div", {}, this.count, scrollable(content, { tall: true, label: "jobs" }));
    filter.listeners.push(() => this.fill());
    colouring.listeners.push(() => this.fill());
  }

  update(runs) {
    this.jobs = runs.flatMap(jobRows);
    this.columns = columns(runs, this.jobs);
    const title = ([key, text]) =>
      el(
        "th",
        { scope: "col", "data-key": key },
        el("button", { type: "button", onclick: () => this.sortBy(key) }, text),
      );
    this.head.replaceChildren(...this.columns.map(title));
    this.fill();
  }

  sortBy(key) {
    this.order = { key, down: this.order.key === key && !this.order.down };
    this.fill();
  }

  clicked(event) {
    const row = event.target.closest("tr");
    if (!row || String(window.getSelection())) return;
    this.panel.pickJob(row.dataset.run, row.dataset.job, event.shiftKey);
  }

  fill() {
    const { key, down } = this.order;
    const kept = this.jobs.filter((job) => this.filter.job(job.name));
    if (key !== null) kept.sort((a, b) => compare(a[key], b[key]) * (down ? -1 : 1));
    const focused = document.activeElement?.closest("#jobs-table tbody tr")?.dataset;
    const [again, run] = [focused?.job, focused?.run];
    this.body.replaceChildren(...kept.map((job) => this.row(job)));
    if (again !== undefined)
      [...this.body.rows]
        .find((row) => row.dataset.job === again && row.dataset.run === run)
        ?.querySelector("button")
        .focus({ preventScroll: true });
    for (const head of this.head.children) {
      const is = head.dataset.key === key;
      if (is) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    this.count.textContent = `${kept.length} of ${this.jobs.length} shown. A click on a job selects it everywhere and shows what it waited for; with Shift, one more.`;
  }

  row(job) {
    const name = el(
      "th",
      { scope: "row" },
      this.swatch(job),
      el(
        "button",
        { type: "button", "aria-pressed": String(this.filter.jobs.has(job.name)) },
        job.name,
      ),
    );
    const cells = this.columns.slice(1).map(([key]) => cell(job, key));
    const failed = ["failed", "cancelled"].includes(job.state) ? "failed" : null;
    return el("tr", { class: failed, "data-job": job.name, "data-run": job.run }, name, ...cells);
  }

  /** Jobs have the same colors as in the Gantt chart. */
  swatch(job) {
    const place = this.colouring.placeOf(job);
    if (place === null) return null;
    return el("span", {
      class: "swatch",
      "aria-hidden": "true",
      style: `background: var(--palette-${place})`,
    });
  }
}

function cell(job, key) {
  const isNumber = typeof job[key] === "number";
  const reason = key === "state" ? job.reason : null;
  return el(
    "td",
    { class: isNumber ? "number" : null, title: reason },
    isNumber ? text(key, job[key]) : toText(job[key]),
  );
}

/** Formats times with a fixed number of decimals, so that they can be compared. */
const text = (key, value) =>
  key.endsWith("_s") || key.endsWith("slowdown") ? fixed(value) : String(value);
