// Durations of decisions, launches and stops in real time, and the efficiency of allocations.
import { table } from "./dom.js";
import { steps } from "./data.js";
import { cdf } from "./jobs.js";

function histogram(id, title, values) {
  return {
    id,
    title,
    half: true,
    data: () => ({ values: values.map((ms) => ({ ms })) }),
    spec: (colours) => ({
      height: 200,
      data: { name: "values" },
      mark: { type: "bar", color: colours.palette[0] },
      encoding: {
        x: {
          field: "ms",
          type: "quantitative",
          bin: { maxbins: 50 },
          title: "real milliseconds",
          axis: { format: ",~r" },
        },
        y: { aggregate: "count", type: "quantitative", title: "how many" },
        tooltip: [
          { field: "ms", bin: { maxbins: 50 }, title: "real ms" },
          { aggregate: "count", title: "how many" },
        ],
      },
    }),
  };
}

export function latencyCharts(run) {
  return [
    ...(run.launch_ms.length > 0
      ? [histogram("launch-ms", "Launches, from decision to exec", run.launch_ms)]
      : []),
    ...(run.stop_ms.length > 0
      ? [histogram("stop-ms", "Suspensions, from decision to stopped", run.stop_ms)]
      : []),
  ];
}

/** Returns the quantiles of the summary; null if it has none. */
export function latencyTable(runs) {
  const rows = runs.flatMap(({ label, summary }) => {
    const us = summary.overhead.decision_us;
    const launch = summary.overhead.launch_ms;
    const stop = summary.suspensions.stop_latency_ms;
    return [
      [label, "decision of the engine, µs", us.p50, us.p99, us.max],
      [label, "launch, ms", launch.p50, launch.p99, null],
      [label, "stop, ms", stop.p50, stop.p99, null],
    ].filter((row) => row[2] !== null);
  });
  return rows.length === 0 ? null : table(["run", "real time", "median", "p99", "most"], rows);
}

/** Charts of how much containers and jobs used of what they held (E_c of the Estimation paper). */
export function efficiencyCharts(run) {
  const { efficiency } = run;
  if (!efficiency) return [];
  const groups = [
    ["by_container", "containers"],
    ["by_job", "jobs"],
  ];
  const isSame = JSON.stringify(efficiency.by_container) === JSON.stringify(efficiency.by_job);
  return groups
    .slice(0, isSame ? 1 : 2)
    .map(([key, title]) =>
      cdf(
        `efficiency-${key}`,
        `Allocation efficiency of ${title}`,
        "used over held",
        ["cores", "memory"],
        false,
        () => ["cores", "memory"].flatMap((kind) => steps(efficiency[key][kind], { series: kind })),
      ),
    );
}
