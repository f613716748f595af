// Tables of runs: all figures, settings, and where the runs were made.
import { el, gib, number, percent, seconds, table, toText } from "./dom.js";

/** How numbers of a unit are written. */
const UNITS = { s: seconds, share: percent };
const written = (value, unit) => {
  if (value === null) return null;
  return UNITS[unit] ? UNITS[unit](value) : unit ? `${number(value)} ${unit}` : value;
};

const SLOWDOWNS = [
  ["mean slowdown", "mean_slowdown"],
  ["fairness of slowdowns (Jain)", "fairness"],
  ["mean bounded slowdown of rigid jobs", "mean_bounded_slowdown"],
];

/** Table with the figures of all runs side by side. Figures that no run has are left out. */
export function figures(runs, shown) {
  const known = ({ numbers }) => numbers.some((value) => value !== null);
  const rows = [
    ["status", ...runs.map((run) => toText(run.summary.status))],
    ...shown
      .filter(known)
      .map(({ title, unit, numbers }) => [
        title,
        ...numbers.map((value) => toText(written(value, unit))),
      ]),
  ];
  for (const [title, key] of SLOWDOWNS)
    if (runs.some((run) => (run.slowdown?.[key] ?? null) !== null))
      rows.push([title, ...runs.map((run) => toText(run.slowdown?.[key]))]);
  const words = [...new Set(runs.map((run) => run.slowdown?.words).filter(Boolean))];
  return el(
    "div",
    {},
    table(["", ...runs.map((run) => run.label)], rows),
    ...words.map((text) => el("p", { class: "muted" }, text)),
  );
}

/** Table of where and how the runs were made. */
export function environment(runs) {
  const value = (of) => runs.map((run) => toText(of(run.summary)));
  const line = (title, of) => [title, ...value(of)];
  const rows = [
    ["directory", ...runs.map((run) => run.dir)],
    line("host's kernel", (s) => s.host.kernel),
    line("host's CPUs", (s) => s.host.cpus),
    line("host's memory", (s) =>
      s.host.memory === null ? null : `${number(gib(s.host.memory))} GiB`,
    ),
    line("control groups", (s) => s.host.cgroup),
    line("CPU used by others", (s) => percent(s.host.foreign_cpu)),
    line("disturbance", (s) => s.disturbance?.word ?? null),
    line("99 of 100 tasks are off by at most", (s) => percent(s.disturbance?.task_error ?? null)),
    line("CPU weight of the run", (s) => s.host.cpu_weight ?? null),
    line("the weight acts in the group", (s) => s.host.cpu_reach ?? null),
    line("real seconds an emulated second", (s) => s.emulation.time_scale),
    line("real CPUs an emulated core", (s) => s.emulation.core_fraction),
    line("real bytes an emulated byte of memory", (s) => s.emulation.memory_scale),
    line("real bytes an emulated byte of data", (s) => s.emulation.data_scale),
    line("CPU limit, pacing", (s) => `${s.emulation.cpu_limit}, ${s.emulation.pacing}`),
    line("fidelity: tasks' times off in the median", (s) => percent(s.fidelity.median_error)),
    line("fidelity: at the 99th percentile", (s) => percent(s.fidelity.p99_error)),
    line("work of tasks that wait or move data: off in the median", (s) =>
      percent(s.fidelity.work?.median_error ?? null),
    ),
    line("work of tasks that wait or move data: at the 99th percentile", (s) =>
      percent(s.fidelity.work?.p99_error ?? null),
    ),
    line("transfers of data: off in the median", (s) =>
      percent(s.fidelity.transfers?.median_error ?? null),
    ),
    line("transfers of data: at the 99th percentile", (s) =>
      percent(s.fidelity.transfers?.p99_error ?? null),
    ),
    line("memory off its profile in the median (share of the request)", (s) =>
      percent(s.fidelity.memory?.median_error ?? null),
    ),
    line("memory: at the 99th percentile", (s) => percent(s.fidelity.memory?.p99_error ?? null)),
    line("memory: tasks that never reached their peak", (s) => s.fidelity.memory?.short ?? null),
    line("wall time", (s) => seconds(s.overhead.wall_s)),
    line("CPU of the master", (s) => seconds(s.overhead.master_cpu_s)),
    line("CPU of the workers", (s) => seconds(s.overhead.workers_cpu_s)),
    line("CPU of the data services", (s) => seconds(s.overhead.data_cpu_s)),
    line("task time lost to the host", (s) => seconds(s.host_lost_s)),
  ];
  return table(["", ...runs.map((run) => run.label)], rows);
}

/** Table of the policy's parts and options; of several runs, only those that differ. */
export function policies(runs) {
  const keys = [...new Set(runs.flatMap((run) => Object.keys(run.summary.policy)))];
  const rows = keys.map((key) => [key, ...runs.map((run) => run.summary.policy[key] ?? null)]);
  const shown = runs.length === 1 ? rows : rows.filter((row) => new Set(row.slice(1)).size > 1);
  if (shown.length === 0) return null;
  return el(
    "details",
    {},
    el(
      "summary",
      {},
      runs.length === 1 ? "The policy's parts and options" : "Where the policies differ",
    ),
    table(["", ...runs.map((run) => run.label)], shown),
  );
}
