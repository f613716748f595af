// Panel at the bottom of the window: why a job waited and its tasks, or the containers of a node.
import { jobRows } from "./data.js";
import { el, fixed, gib, number, scrollable, table } from "./dom.js";
import { fill } from "./layout.js";
import { barRows } from "./gantt_rows.js";

const MOST_ROWS = 500;
const COLUMNS = [
  ["job", "job"],
  ["phase", "phase"],
  ["task", "task"],
  ["attempt", "attempt"],
  ["node", "node"],
  ["outcome", "state"],
  ["t", "decided, s"],
  ["started", "started, s"],
  ["begun", "inputs read, s"],
  ["u", "end, s"],
  ["waited_s", "waited, s"],
  ["suspended_s", "suspended, s"],
  ["worked_s", "worked, s"],
  ["used", "used"],
  ["why", "why there"],
  ["reason", "why it ended"],
];

export class Panel {
  constructor(filter) {
    this.filter = filter;
    this.runs = [];
    this.shown = null; // {kind: "job" | "node", name, run: label}
    this.title = el("h2", { id: "panel-title" });
    this.why = el("div");
    this.tasks = el("div");
    this.body = el("div", { class: "body" }, this.why, this.tasks);
    const close = el(
      "button",
      { type: "button", id: "panel-close", "aria-label": "close", onclick: () => this.close() },
      "×",
    );
    this.element = el(
      "aside",
      { id: "panel", "aria-labelledby": "panel-title", hidden: true, tabindex: "-1" },
      el("div", { class: "bar" }, this.title, close),
      this.body,
    );
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    filter.listeners.push(() => filter.isEmpty && this.close());
  }

  pickJob(run, name, more) {
    this.pick("job", run, name, more);
  }
  pickNode(run, name, more) {
    this.pick("node", run, name, more);
  }
  /** Selects a job or node, or ends its selection, and opens or closes the panel. */
  pick(kind, run, name, more) {
    this.filter.pick(`${kind}s`, name, more);
    if (this.filter[`${kind}s`].has(name)) this.open({ kind, run, name });
    else this.close();
  }

  open(shown) {
    this.shown = shown;
    this.answer = undefined;
    this.element.hidden = false;
    document.body.classList.add("with-panel");
    this.draw();
    this.body.scrollTop = 0;
  }
  close() {
    this.shown = null;
    this.element.hidden = true;
    document.body.classList.remove("with-panel");
  }

  /** Takes the newest data. `whyUrl`: where the page asks why a job waited, or null. */
  update(runs, whyUrl = null) {
    this.runs = runs;
    this.whyUrl = whyUrl;
    if (this.shown) this.draw();
  }

  draw() {
    const run = this.runs.find(({ label }) => label === this.shown.run);
    if (!run) return this.close();
    const { kind, name } = this.shown;
    const job = kind === "job" ? jobRows(run).find((of) => of.name === name) : null;
    const of = this.runs.length > 1 ? `, ${run.label}` : "";
    this.title.textContent = `${kind === "job" ? "Job" : "Node"} ${name}${of}`;
    if (kind === "job") this.explain(run, job);
    else fill(this.why, [el("p", {}, nodeFacts(run.nodes.find((node) => node.name === name)))]);
    const rows = barRows(run).filter((bar) => bar[kind] === name);
    fill(this.tasks, [
      el("h3", {}, kind === "job" ? "Tasks" : "Containers"),
      rows.length > 0 ? taskTable(rows, kind) : el("p", { class: "muted" }, "None started."),
    ]);
  }

  /** Shows why a job waited: from the page's data or, if a server serves the page, from there. */
  explain(run, job) {
    const show = (answer) => {
      this.answer = answer;
      fill(this.why, [el("p", {}, jobFacts(job)), ...whyParts(answer)]);
    };
    const url = run.why_url ?? this.whyUrl;
    if (!url) {
      const at = run.summary.jobs.findIndex((of) => of.name === job.name);
      return show(
        run.why?.[at] ?? { trouble: run.why_note ?? "This page does not have the reason." },
      );
    }
    if (this.answer === undefined) show({ trouble: "Asking the server …" });
    else show(this.answer);
    const asked = this.shown;
    fetch(url + encodeURIComponent(job.name), { cache: "no-cache", credentials: "same-origin" })
      .then((reply) =>
        reply.ok ? reply.json() : Promise.reject(new Error(`it answers ${reply.status}`)),
      )
      .catch((error) => ({
        trouble: `The server does not tell why the job waited: ${error.message}`,
      }))
      .then((answer) => this.shown === asked && show(answer));
  }
}

function jobFacts(job) {
  const waited =
    job.start_s === null
      ? "no task has started"
      : `first task started ${fixed(job.start_s)} s: waited ${fixed(job.waiting_s)} s`;
  const groups = [
    `queue ${job.queue}`,
    job.class && `class ${job.class}`,
    job.user && `user ${job.user}`,
  ];
  return [...groups, job.state, `submitted ${fixed(job.submit_s)} s`, waited, job.reason]
    .filter(Boolean)
    .join(", ");
}

const nodeFacts = (node) =>
  [
    `${number(node.cores)} cores, ${number(gib(node.memory))} GiB`,
    node.rack && `rack ${node.rack}`,
    node.speed !== 1 && `speed ${number(node.speed)}`,
  ]
    .filter(Boolean)
    .join(", ");

function whyParts(answer) {
  if (answer.trouble) return [el("p", { class: "muted" }, answer.trouble)];
  const parts = [el("h3", {}, "What it waited for")];
  if (answer.note) parts.push(el("p", { class: "muted" }, answer.note));
  parts.push(...stretches(answer.stretches ?? [], "Its first task started at once."));
  const causes = (answer.causes ?? []).map(({ cause, s }) => `${cause} ${fixed(s)} s`);
  if (causes.length > 1) parts.push(el("p", { class: "muted" }, `In all: ${causes.join(", ")}.`));
  if (answer.later_stretches)
    parts.push(
      el("h3", {}, "Later times without a running task"),
      ...stretches(answer.later_stretches, "Never."),
    );
  return parts;
}

function stretches(list, none) {
  if (list.length === 0) return [el("p", { class: "muted" }, none)];
  const rows = list.map(({ from_s: from, until_s: until, phase, in_words: words }) => [
    fixed(from),
    fixed(until),
    fixed(until - from),
    phase,
    words,
  ]);
  return [
    table(["from s", "until s", "for s", "phase", "waited for"], rows, { firstIsName: false }),
  ];
}

/** Table of containers. Columns without a value are left out. */
function taskTable(rows, kind) {
  const shown = rows.slice(0, MOST_ROWS);
  const columns = COLUMNS.filter(
    ([key]) => key !== kind && shown.some((row) => ![null, undefined, ""].includes(row[key])),
  );
  const cell = (value) => (typeof value === "number" ? value.toFixed(3) : (value ?? "–"));
  const head = columns.map(([key, title]) => {
    const isNumber = shown.some((row) => typeof row[key] === "number") && key !== "attempt";
    return el("th", { scope: "col", class: isNumber ? "number" : null }, title);
  });
  const line = (row) =>
    el(
      "tr",
      {},
      ...columns.map(([key]) => {
        const value = key === "attempt" ? String(row[key]) : row[key];
        return el("td", { class: typeof value === "number" ? "number" : null }, cell(value));
      }),
    );
  const content = el(
    "table",
    { class: "tasks" },
    el("thead", {}, el("tr", {}, ...head)),
    el("tbody", {}, ...shown.map(line)),
  );
  const note =
    rows.length > MOST_ROWS
      ? el("p", { class: "muted" }, `The first ${MOST_ROWS} of ${rows.length}.`)
      : null;
  return el("div", {}, note, scrollable(content, { label: "containers" }));
}
