// Charts of waiting and completion of jobs, of one run or of several side by side.
import { distribution, jobRows, steps } from "./data.js";
import { namesAxis, nominal } from "./look.js";
import { tips } from "./tips.js";

/** More bars than this are unreadable; the table has all jobs. */
const MOST_BARS = 30;

const names = (runs) => [
  ...new Set(runs.flatMap((run) => run.summary.jobs.map((job) => job.name))),
];

/** Returns the jobs that get bars, in the scenario's order. If there are too many, the slowest are
 *  kept. */
function chosen(runs, filter) {
  const all = names(runs).filter((name) => filter.job(name));
  if (all.length <= MOST_BARS) return new Set(all);
  const time = new Map();
  for (const job of runs.flatMap((run) => run.summary.jobs))
    time.set(job.name, Math.max(time.get(job.name) ?? 0, job.completion_s ?? Infinity));
  return new Set([...all].sort((a, b) => time.get(b) - time.get(a)).slice(0, MOST_BARS));
}

const note = (runs) =>
  names(runs).length > MOST_BARS
    ? `The ${MOST_BARS} jobs that took longest, of those chosen; the table has all.`
    : null;

const JOB_TIPS = tips(
  ["name", "job"],
  ["state", "state"],
  ["waiting_s", "waiting, s"],
  ["completion_s", "completion, s"],
  ["submit_s", "submitted at, s"],
  ["eligible_s", "eligible at, s"],
  ["tasks", "tasks"],
  ["attempts", "attempts"],
  ["oom_kills", "OOM kills"],
);

const y = {
  field: "name",
  type: "nominal",
  title: null,
  sort: null,
  axis: { ...namesAxis(190), labelOverlap: false },
};

const isOpen = ({ state }) => state === "pending" || state === "running";

/** Returns when a job started and ended, in seconds since it could be scheduled. What has not
 *  happened counts as happening at the end of the journal. */
export function times({ state, submit_s, eligible_s, waiting_s, completion_s }, end_s) {
  const last =
    completion_s ??
    (isOpen({ state }) ? Math.max(0, end_s - (eligible_s ?? submit_s ?? end_s)) : (waiting_s ?? 0));
  return { started: Math.min(waiting_s ?? last, last), ended: last };
}

/** Chart for one run: the parts of each job's completion time. */
function stacked(run, { filter, panel }) {
  const parts = ["waiting", "from its first start to its end"];
  return {
    id: "jobs",
    title: "Waiting and completion by job",
    note: [note([run]), run.summary.jobs.some(isOpen) && "Jobs that are not over have bars so far."]
      .filter(Boolean)
      .join(" "),
    filtered: ["jobs"],
    pick: (datum, event) => datum.name && panel.pickJob(datum.run, datum.name, event.shiftKey),
    data: () => {
      const shown = chosen([run], filter);
      return {
        jobs: jobRows(run)
          .filter((job) => shown.has(job.name))
          .flatMap((job) => {
            const { started, ended } = times(job, run.end_s);
            return [
              { ...job, part: parts[0], a: 0, b: started },
              { ...job, part: parts[1], a: started, b: ended },
            ];
          }),
      };
    },
    spec: (colours) => ({
      height: { step: 16 },
      data: { name: "jobs" },
      mark: { type: "bar", cursor: "pointer" },
      encoding: {
        y,
        x: { field: "a", type: "quantitative", title: "since its submission, emulated s" },
        x2: { field: "b" },
        color: {
          field: "part",
          type: "nominal",
          title: null,
          scale: { domain: parts, range: [colours.palette[1], colours.palette[0]] },
        },
        tooltip: JOB_TIPS,
      },
    }),
  };
}

/** Chart for several runs: a bar for each, side by side. */
function grouped(runs, { filter, panel }, key, title) {
  const labels = runs.map((run) => run.label);
  return {
    id: `jobs-${key}`,
    title: `${title} by job`,
    note: note(runs),
    half: true,
    filtered: ["jobs"],
    pick: (datum, event) => datum.name && panel.pickJob(datum.run, datum.name, event.shiftKey),
    data: () => {
      const shown = chosen(runs, filter);
      return { jobs: runs.flatMap(jobRows).filter((job) => shown.has(job.name)) };
    },
    spec: (colours) => ({
      height: { step: Math.max(6, 16 / Math.sqrt(runs.length)), for: "offset" },
      data: { name: "jobs" },
      mark: { type: "bar", cursor: "pointer" },
      encoding: {
        y,
        yOffset: { field: "run", type: "nominal", sort: labels },
        x: { field: key, type: "quantitative", title: `${title.toLowerCase()}, emulated s` },
        color: { field: "run", type: "nominal", title: null, scale: nominal(labels, colours) },
        tooltip: [...tips(["run", "run"]), ...JOB_TIPS],
      },
    }),
  };
}

/** Chart of a distribution: a step line for each series. `range`: ordered names of the series. */
export function cdf(id, title, unit, range, filtered, data) {
  const legend = range.length > 1 ? {} : { legend: null };
  const dashes = [
    [1, 0],
    [6, 3],
    [2, 2],
    [8, 2, 2, 2],
    [1, 0],
    [6, 3],
    [2, 2],
  ];
  return {
    id,
    title,
    half: true,
    filtered: filtered ? ["steps"] : null,
    data: (filter) => ({ steps: data(filter) }),
    spec: (colours) => ({
      height: 200,
      data: { name: "steps" },
      mark: { type: "line", interpolate: "step-after", strokeWidth: 1.8 },
      encoding: {
        x: { field: "value", type: "quantitative", title: unit },
        y: {
          field: "share",
          type: "quantitative",
          title: "share at most that",
          axis: { format: ".0%" },
          scale: { domain: [0, 1] },
        },
        color: {
          field: "series",
          type: "nominal",
          title: null,
          ...legend,
          scale: nominal(range, colours),
        },
        strokeDash: {
          field: "series",
          type: "nominal",
          title: null,
          ...legend,
          scale: { domain: range, range: range.map((_, i) => dashes[i % dashes.length]) },
        },
        tooltip: tips(["series", "of"], ["value", unit, ".3f"], ["share", "share", ".1%"]),
      },
    }),
  };
}

/** Returns how many different values the jobs have. */
const variety = (runs, key) =>
  new Set(
    runs.flatMap((run) => run.summary.jobs.map((job) => job[key])).filter((of) => of !== null),
  ).size;

function jobCdf(runs, key, title) {
  if (variety(runs, key) < 3) return [];
  const labels = runs.map((run) => run.label);
  return [
    cdf(
      `cdf-${key}`,
      `${title}, distribution over jobs`,
      `${title.toLowerCase()}, emulated s`,
      labels,
      true,
      (filter) =>
        runs.flatMap((run) =>
          distribution(
            run.summary.jobs.filter((job) => filter.job(job.name)).map((job) => job[key]),
            { series: run.label },
          ),
        ),
    ),
  ];
}

function durationCdf(runs) {
  const series = (run, kind) => (runs.length > 1 ? `${run.label}: ${kind}` : kind);
  const all = runs.flatMap((run) =>
    Object.entries(run.durations).map(([kind, pairs]) => [series(run, kind), pairs]),
  );
  if (all.length === 0) return [];
  return [
    {
      ...cdf(
        "cdf-durations",
        "Durations of tasks that completed",
        "time that they worked, emulated s",
        all.map(([name]) => name),
        false,
        () => all.flatMap(([name, pairs]) => steps(pairs, { series: name })),
      ),
      note: "Without suspensions, and without the time in which reduces waited for their inputs.",
    },
  ];
}

export function jobCharts(runs, context) {
  const times = [
    ["waiting_s", "Waiting"],
    ["completion_s", "Completion"],
  ].filter(([key]) => variety(runs, key) > 0);
  if (times.length === 0) return durationCdf(runs);
  return [
    ...(runs.length === 1
      ? [stacked(runs[0], context)]
      : times.map(([key, title]) => grouped(runs, context, key, title))),
    ...times.flatMap(([key, title]) => jobCdf(runs, key, title)),
    ...durationCdf(runs),
  ];
}
