// Tables of runs: all figures, settings, and where the runs were made.
import { el, gib, number, percent, seconds, table, toText } from "./dom.js";

const FIGURES = [
  ["status", (s) => s.status],
  ["makespan", (s) => seconds(s.makespan_s)],
  ["mean waiting", (s) => seconds(s.mean_waiting_s)],
  ["mean completion", (s) => seconds(s.mean_completion_s)],
  [
    "jobs completed",
    (s) => `${s.jobs.filter((j) => j.state === "completed").length} of ${s.jobs.length}`,
  ],
  ["attempts of tasks", (s) => s.attempts_total],
  ["CPU used, of capacity", (s) => percent(s.utilisation.cpu)],
  ["CPU allocated", (s) => percent(s.allocation.cpu)],
  ["memory used, of capacity", (s) => percent(s.utilisation.memory)],
  ["memory allocated", (s) => percent(s.allocation.memory)],
  ["allocated CPU used", (s) => percent(s.allocation_efficiency.cpu)],
  ["allocated memory used", (s) => percent(s.allocation_efficiency.memory)],
  ["OOM kills: container, node, other", (s) => Object.values(s.oom_kills).join(", ")],
  ["wasted by attempts that did not complete", (s) => wasted(s.wasted)],
  ["containers lost", (s) => s.lost],
  ["suspensions", (s) => `${s.suspensions.count}, ${number(s.suspensions.total_s)} s in all`],
  ["reservations", (s) => `${s.reservations.count}, ${number(s.reservations.wait_s)} s in all`],
  ["preemptions", (s) => s.preemptions],
  ["started local, rack, remote", (s) => locality(s.locality)],
];

function wasted({ attempts, core_s, byte_s }) {
  return attempts === 0
    ? "none"
    : `${attempts}: ${known(core_s)} core-s, ${known(byte_s, gib)} GiB-s`;
}

const known = (value, scale = (same) => same) => (value === null ? "-" : number(scale(value)));

const locality = ({ local, rack, remote }) =>
  local === null ? null : [local, rack, remote].join(", ");

const SLOWDOWNS = [
  ["mean slowdown", "mean_slowdown"],
  ["fairness of slowdowns (Jain)", "fairness"],
  ["mean bounded slowdown of rigid jobs", "mean_bounded_slowdown"],
];

/** Table with the figures of all runs side by side. */
export function figures(runs) {
  const rows = FIGURES.map(([title, of]) => [title, ...runs.map((run) => toText(of(run.summary)))]);
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
    line("disturbed", (s) => (s.disturbed === null ? null : s.disturbed ? "yes" : "no")),
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
