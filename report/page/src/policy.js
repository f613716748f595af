// Charts of the policy's own state, if the journal has it.
import { number } from "./dom.js";
import { points, rows } from "./data.js";
import { estimationCharts } from "./estimation.js";
import { nominal } from "./look.js";
import { tips } from "./tips.js";
import { TIME_ZOOM, timeAxis } from "./time.js";

/** Lines over time. `all`: [[name, {t, v}, scale]…]; series that the journal does not have are left
 *  out. */
function lineChart(run, id, title, unit, all, note = null) {
  const series = all.filter(([, of]) => of);
  const names = series.map(([name]) => name);
  const isZero = series.every(([, { v }]) => v.every((value) => value === 0));
  return {
    id,
    title,
    note,
    half: true,
    time: true,
    data: () => ({
      lines: series.flatMap(([name, of, scale]) => points(of, { series: name }, scale)),
    }),
    spec: (colours) => ({
      height: 200,
      data: { name: "lines" },
      params: [TIME_ZOOM],
      mark: { type: "line", interpolate: "step-after", clip: true, strokeWidth: 1.5 },
      encoding: {
        x: timeAxis(),
        y: {
          field: "v",
          type: "quantitative",
          title: unit,
          ...(isZero ? { scale: { domain: [0, 1] } } : {}),
        },
        ...(names.length > 1
          ? {
              color: {
                field: "series",
                type: "nominal",
                title: null,
                scale: nominal(names, colours),
              },
              strokeDash: {
                field: "series",
                type: "nominal",
                title: null,
                scale: {
                  domain: names,
                  range: names.map(
                    (_, i) =>
                      [
                        [1, 0],
                        [6, 3],
                        [2, 2],
                      ][i % 3],
                  ),
                },
              },
            }
          : {}),
      },
    }),
  };
}

/** Returns the name of a pool ("small", "large"). Pools are ordered by demand, the smallest first.
 *  */
function pool(index, count) {
  if (count <= 2) return ["small", "large"][index];
  return `pool ${index + 1}`;
}

/** Returns the fields "free.0", "free.1" … of a state. */
function list(state, field) {
  return Object.keys(state)
    .filter((key) => key.startsWith(`${field}.`))
    .map((key) => state[key]);
}

function dress(run) {
  const charts = [];
  const ratio = run.states?.["dress.ratio"]?.[""];
  if (ratio) {
    const wanted = list(ratio, "wanted");
    charts.push(
      lineChart(
        run,
        "dress-ratio",
        "DRESS: what is reserved by pool (delta), and what is free",
        "share of the cluster",
        [
          ...list(ratio, "ratios").map((of, i) => [pool(i, wanted.length), of]),
          ["free", ratio.available],
        ],
      ),
      ...wanted.map((of, i) =>
        lineChart(
          run,
          `dress-pool-${i}`,
          `DRESS: the ${pool(i, wanted.length)} jobs' pool`,
          "share of the cluster",
          [
            ["used", ratio[`used.${i}`]],
            ["wanted", of],
            ["expected to be released", ratio[`expected.${i}`]],
          ],
        ),
      ),
    );
  }
  const release = run.states?.["dress.release"]?.[""];
  if (release) {
    const predicted = list(release, "predicted");
    charts.push(
      ...predicted.map((of, i) =>
        lineChart(
          run,
          `dress-release-${i}`,
          `DRESS: releases of ${pool(i, predicted.length)} jobs, expected and actual`,
          "share of the cluster, over a horizon",
          [
            ["expected", of],
            ["actual", release[`actual.${i}`]],
          ],
          releaseError(run),
        ),
      ),
    );
  }
  return charts;
}

function releaseError(run) {
  const error = run.summary.release_estimate;
  return error
    ? `Mean absolute error ${number(100 * error.mean_absolute_error)} % of the cluster over ${error.horizons} horizons.`
    : null;
}

function ikayak(run) {
  const state = run.states?.["ikayak.lambda"]?.[""];
  if (!state) return [];
  const series = ["lambda", "spark", "mapreduce"].filter((key) => state[key]);
  const names = { lambda: "lambda", spark: "Spark", mapreduce: "MapReduce" };
  const charts = [
    lineChart(
      run,
      "ikayak-lambda",
      "iKayak: lambda, and what it is made of",
      "share",
      series.map((key) => [names[key], state[key]]),
    ),
  ];
  if (state.suspend_s)
    charts.push(
      lineChart(
        run,
        "ikayak-suspend",
        "iKayak: how long a starving reduce is suspended",
        "emulated s",
        [["suspension", state.suspend_s]],
      ),
    );
  return charts;
}

function predictions(run, panel) {
  const of = run.predictions;
  if (!of) return [];
  const { of: total, ...columns } = of;
  const kinds = ["waits for inputs", "works"];
  const all = rows(columns).map((row) => ({
    ...row,
    job: run.summary.jobs[row.job].name,
    kind: row.waits ? kinds[0] : kinds[1],
  }));
  const most = all.reduce((sum, row) => Math.max(sum, row.truth_s, row.predicted_s), 0);
  const told = run.summary.prediction;
  const errors = told
    ? `NRMSE ${number(told.nrmse)} (${told.predictor}), ${number(told.naive_nrmse)} by plain extrapolation.`
    : "";
  const thinned = all.length < total ? ` ${all.length} of ${total} predictions.` : "";
  return [
    {
      id: "predictions",
      title: "Remaining times of reduces: predictions against truth",
      note: `${errors}${thinned} On the line: right.`,
      filtered: ["predictions"],
      half: true,
      data: (by) => ({
        predictions: all.filter((row) => by.job(row.job)),
        diagonal: [
          { truth_s: 0, predicted_s: 0 },
          { truth_s: most, predicted_s: most },
        ],
      }),
      pick: (datum, event) => datum.job && panel.pickJob(run.label, datum.job, event.shiftKey),
      spec: (colours) => ({
        height: 280,
        layer: [
          {
            data: { name: "diagonal" },
            mark: { type: "line", color: colours.muted, strokeDash: [4, 3] },
            encoding: {
              x: {
                field: "truth_s",
                type: "quantitative",
                title: "true remaining time, emulated s",
              },
              y: { field: "predicted_s", type: "quantitative", title: "predicted, emulated s" },
            },
          },
          {
            data: { name: "predictions" },
            mark: { type: "point", filled: true, opacity: 0.5, size: 22, cursor: "pointer" },
            encoding: {
              x: { field: "truth_s", type: "quantitative" },
              y: { field: "predicted_s", type: "quantitative" },
              color: {
                field: "kind",
                type: "nominal",
                title: "the reduce",
                scale: { domain: kinds, range: [colours.palette[1], colours.palette[0]] },
              },
              shape: {
                field: "kind",
                type: "nominal",
                title: "the reduce",
                scale: { domain: kinds, range: ["triangle-up", "circle"] },
              },
              tooltip: tips(
                ["job", "job"],
                ["kind", "the reduce"],
                ["t", "at, s", ".3f"],
                ["predicted_s", "predicted, s", ".3f"],
                ["truth_s", "true, s", ".3f"],
                ["naive_s", "plain extrapolation, s", ".3f"],
              ),
            },
          },
        ],
      }),
    },
  ];
}

/** What is free of devices and cores and of no use for typical requests. */
function fragmentation(run) {
  const state = run.states?.fragmentation?.[""];
  if (!state) return [];
  return [
    lineChart(
      run,
      "fragmentation",
      "Free, but of no use for typical requests",
      "devices, cores",
      Object.entries(state),
    ),
  ];
}

const KNOWN = ["dress.ratio", "dress.release", "estimation.node", "fragmentation", "ikayak.lambda"];

/** Charts of the state of policies that have no charts of their own. */
function others(run) {
  return Object.entries(run.states ?? {})
    .filter(([about, of]) => !KNOWN.includes(about) && of[""])
    .map(([about, of]) =>
      lineChart(
        run,
        `state-${about.replace(/[^a-z0-9]/gi, "-")}`,
        `Policy's state: ${about}`,
        "value",
        Object.entries(of[""]),
      ),
    );
}

export function policyCharts(run, context) {
  return [
    ...dress(run),
    ...estimationCharts(run, context),
    ...ikayak(run),
    ...predictions(run, context.panel),
    ...fragmentation(run),
    ...others(run),
  ];
}
