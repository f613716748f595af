// Head of the page of runs: what was run, where, and the main figures.
import { el, gib, number, seconds, shortPercent, table, toText } from "./dom.js";

/** Returns warnings that a reader must not overlook. */
export function warnings(run, live = false) {
  const { summary } = run;
  const failed = summary.jobs.filter((job) => job.state === "failed");
  const cancelled = summary.jobs.filter((job) => job.state === "cancelled");
  const open = summary.jobs.filter((job) => ["pending", "running"].includes(job.state));
  const texts = [];
  if (!live && summary.status !== "done" && summary.status !== "failed")
    texts.push(
      `This run did not reach its end: ${summary.status ?? "its journal has no last line"}` +
        (summary.reason ? ` (${summary.reason})` : ""),
    );
  if (!live && run.cut) texts.push("The journal is cut off; the page shows what is there.");
  for (const doubt of run.unverified ?? []) texts.push(`Unverified: ${doubt}.`);
  if (failed.length > 0)
    texts.push(`${failed.length} of ${summary.jobs.length} jobs failed: ` + names(failed));
  if (cancelled.length > 0)
    texts.push(
      `${cancelled.length} of ${summary.jobs.length} jobs were cancelled, because jobs before ` +
        "them did not end as required: " +
        names(cancelled),
    );
  if (!live && open.length > 0)
    texts.push(`${open.length} of ${summary.jobs.length} jobs are not over: ` + names(open));
  if (summary.disturbed && run.disturbance) texts.push(sentence(run.disturbance));
  return texts;
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

function names(jobs) {
  const first = jobs.slice(0, 5).map((job) => job.name + (job.reason ? ` (${job.reason})` : ""));
  return first.join(", ") + (jobs.length > 5 ? " …" : "");
}

const MODES = { real: "real run", simulated: "simulated" };

function date({ date }) {
  if (!Number.isFinite(date)) return null;
  return new Date(date * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

function host({ summary: { host, hosts } }) {
  const named = [...new Set((hosts ?? []).map((of) => of.host))].filter(Boolean);
  if (named.length > 1) return named.slice(0, 4).join(", ") + (named.length > 4 ? " …" : "");
  const parts = [
    host.cpus !== null && `${host.cpus} CPUs`,
    host.memory !== null && `${number(gib(host.memory))} GiB`,
    host.kernel && `Linux ${host.kernel}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : null;
}

function realTime({ summary }) {
  const wall = summary.overhead.wall_s;
  if (wall === null || wall === undefined) return null;
  if (wall < 1) return `${number(wall * 1000)} ms`;
  const minutes = Math.floor(wall / 60);
  if (minutes === 0) return `${number(wall)} s`;
  const hours = Math.floor(minutes / 60);
  return hours === 0
    ? `${minutes} min ${Math.round(wall % 60)} s`
    : `${hours} h ${minutes % 60} min`;
}

function disturbance({ summary }) {
  if (summary.mode === "simulated") return "does not apply";
  return summary.disturbance?.word ?? null;
}

const FACTS = [
  ["policy", (run) => run.summary.policy.preset],
  ["kind", (run) => MODES[run.summary.mode] ?? run.summary.mode],
  ["date", date],
  ["host", host],
  ["real duration", realTime],
  ["disturbance", disturbance],
  ["seed", (run) => String(run.summary.seed)],
];

const count = (jobs, states) => jobs.filter(({ state }) => states.includes(state)).length;

/** The five main figures. */
const FIGURES = [
  ["makespan", ({ makespan_s }) => seconds(makespan_s)],
  ["mean waiting", ({ mean_waiting_s }) => seconds(mean_waiting_s)],
  ["mean completion", ({ mean_completion_s }) => seconds(mean_completion_s)],
  [
    "CPU / memory used",
    ({ utilisation: { cpu, memory } }) =>
      cpu === null || memory === null
        ? null
        : `${shortPercent(cpu).slice(0, -2)} / ${shortPercent(memory)}`,
  ],
  [
    "jobs completed / failed",
    ({ jobs }) =>
      `${number(count(jobs, ["completed"]))} / ${number(count(jobs, ["failed", "killed", "cancelled"]))} of ${number(jobs.length)}`,
  ],
];

/** Returns the elements of the head. */
export function head(runs, live) {
  const warn = (run, text) =>
    el("p", { class: "warning", role: "alert" }, runs.length > 1 ? `${run.label}: ${text}` : text);
  return [
    el("h1", {}, [...new Set(runs.map((run) => run.summary.scenario))].join(", ")),
    ...(runs.length === 1 ? ofOne(runs[0], live) : ofSeveral(runs)),
    ...runs.flatMap((run) => warnings(run, live).map((text) => warn(run, text))),
  ];
}

const version = ({ summary }) =>
  el(
    "p",
    { class: "muted" },
    `Times are emulated seconds. Made by heddle ${summary.heddle_version}.`,
  );

function ofOne(run, live) {
  const facts = FACTS.map(([title, of]) => [title, of(run)]);
  if (live) facts.push(["emulated time", seconds(run.end_s)]);
  return [
    factList(facts),
    tiles(FIGURES.map(([title, of]) => [title, of(run.summary)])),
    run.summary.disturbance?.word === "unaffected"
      ? el("p", { class: "muted" }, sentence(run.disturbance))
      : null,
    version(run),
  ].filter(Boolean);
}

/** A line for each run; facts that all runs share stand above them. */
function ofSeveral(runs) {
  const values = FACTS.map(([title, of]) => [title, runs.map((run) => toText(of(run)))]);
  const isShared = ([, of]) => new Set(of).size === 1;
  const differing = values.filter((fact) => !isShared(fact));
  const columns = ["run", ...differing.map(([title]) => title), ...FIGURES.map(([title]) => title)];
  const rows = runs.map((run, i) => [
    run.label,
    ...differing.map(([, of]) => of[i]),
    ...FIGURES.map(([, of]) => of(run.summary)),
  ]);
  return [
    factList(values.filter(isShared).map(([title, of]) => [title, of[0]])),
    table(columns, rows),
    version(runs[0]),
  ];
}

const factList = (facts) =>
  el(
    "dl",
    { class: "facts" },
    ...facts.map(([title, value]) =>
      el("div", {}, el("dt", {}, title), el("dd", {}, toText(value))),
    ),
  );

/** Returns the main figures in large type. */
export const tiles = (figures) =>
  el(
    "dl",
    { class: "tiles" },
    ...figures.map(([title, value]) =>
      el("div", {}, el("dt", {}, title), el("dd", {}, toText(value))),
    ),
  );
