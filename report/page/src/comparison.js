// Shows compare.json and sweep.json: a comparison of policies, or of values of keys.
import { el, number, section, table } from "./dom.js";
import { nominal } from "./look.js";
import { tips } from "./tips.js";

const groupName = ({ kind, name }) => (kind === "all" ? "all jobs" : `${kind} ${name}`);
const slug = (text) => text.replace(/[^a-z0-9]+/gi, "-");
const withUnit = (metric) => (metric.unit ? `${metric.title}, ${metric.unit}` : metric.title);

const WORDS = [
  "better",
  "worse",
  "less",
  "more",
  "no difference",
  "equal",
  "not tested",
  "too few repeats",
];

/** Returns the verdict for people: better, worse, or another word. */
export function verdictWord(metric, verdict) {
  if (verdict === "no variance") return "not tested";
  if (verdict === "too few") return "too few repeats";
  if ((verdict !== "less" && verdict !== "more") || metric.better === null) return verdict;
  return verdict === metric.better ? "better" : "worse";
}

/** Shapes by verdict. */
const SHAPES = [
  "circle",
  "diamond",
  "triangle-down",
  "triangle-up",
  "square",
  "triangle-right",
  "cross",
  "triangle-left",
];
const BETTER = { more: "More is better.", less: "Less is better." };

/** Chart with a dot for each repeat, beside the median and the interval. */
function dots(metric, policies) {
  const rows = metric.policies.flatMap(({ name, values }) =>
    values.map((value, repeat) => ({ policy: name, value, repeat: repeat + 1 })),
  );
  const known = metric.policies.filter((of) => of.median !== null);
  return {
    id: `metric-${slug(metric.key)}-${slug(groupName(metric.group))}`,
    title: `${metric.title}: ${groupName(metric.group)}`,
    note: BETTER[metric.better] ?? "Neither more nor less is better.",
    half: true,
    data: () => ({
      dots: rows.filter((row) => row.value !== null),
      spans: known.map(({ name, median, low, high }) => ({ policy: name, median, low, high })),
    }),
    spec: (colours) => {
      const y = {
        field: "policy",
        type: "nominal",
        title: null,
        sort: policies,
        axis: { labelLimit: 200 },
      };
      const x = { type: "quantitative", title: withUnit(metric), scale: { zero: false } };
      const color = {
        field: "policy",
        type: "nominal",
        scale: nominal(policies, colours),
        legend: null,
      };
      const tooltip = tips(
        ["policy", "policy"],
        ["median", "median", ".4~g"],
        ["low", "from", ".4~g"],
        ["high", "to", ".4~g"],
      );
      return {
        height: { step: 30 },
        layer: [
          {
            data: { name: "spans" },
            mark: { type: "rule", strokeWidth: 2 },
            encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" }, color, tooltip },
          },
          {
            data: { name: "dots" },
            mark: { type: "point", filled: true, opacity: 0.55, size: 36 },
            encoding: {
              y,
              x: { ...x, field: "value" },
              color,
              tooltip: tips(
                ["policy", "policy"],
                ["repeat", "repeat"],
                ["value", withUnit(metric), ".4~g"],
              ),
            },
          },
          {
            data: { name: "spans" },
            mark: { type: "tick", thickness: 3, size: 18 },
            encoding: { y, x: { ...x, field: "median" }, color, tooltip },
          },
        ],
      };
    },
  };
}

/** Chart of the paired differences of all metrics with their intervals, relative to the baseline.
 *  */
function forest(metrics, policy, baseline, level, group) {
  const rows = metrics.flatMap((metric) =>
    metric.against
      .filter((pair) => pair.policy === policy && pair.baseline === baseline)
      .filter((pair) => pair.relative !== null)
      .map((pair) => ({
        metric: metric.title,
        relative: pair.relative,
        from: pair.relative_interval?.[0] ?? pair.relative,
        to: pair.relative_interval?.[1] ?? pair.relative,
        verdict: verdictWord(metric, pair.verdict),
      })),
  );
  if (rows.length === 0) return [];
  const x = {
    type: "quantitative",
    title: `${policy} against ${baseline}, paired difference`,
    axis: { format: "+.0%" },
  };
  return [
    {
      id: `forest-${slug(policy)}-${slug(baseline)}-${slug(group)}`,
      title: `${policy} against ${baseline}: ${group}`,
      note: `Differences run by run, as shares of ${baseline}'s; lines are ${number(level * 100)} % intervals.`,
      half: true,
      data: () => ({ rows, zero: [{ zero: 0 }] }),
      spec: (colours) => {
        const y = {
          field: "metric",
          type: "nominal",
          title: null,
          sort: null,
          axis: { labelLimit: 260 },
        };
        const range = WORDS.map(
          (word) => ({ better: colours.palette[2], worse: colours.bad })[word] ?? colours.muted,
        );
        const present = WORDS.filter((word) => rows.some((row) => row.verdict === word));
        const only = (values) => present.map((word) => values[WORDS.indexOf(word)]);
        const scale = { domain: present, range: only(range) };
        const color = { field: "verdict", type: "nominal", title: null, scale };
        const tooltip = tips(
          ["metric", "metric"],
          ["relative", "difference", "+.2%"],
          ["from", "from", "+.2%"],
          ["to", "to", "+.2%"],
          ["verdict", "verdict"],
        );
        const shapes = { domain: present, range: only(SHAPES) };
        return {
          height: { step: 24 },
          layer: [
            {
              data: { name: "zero" },
              mark: { type: "rule", strokeDash: [4, 3] },
              encoding: { x: { ...x, field: "zero" } },
            },
            {
              data: { name: "rows" },
              mark: { type: "rule", strokeWidth: 2 },
              encoding: { y, x: { ...x, field: "from" }, x2: { field: "to" }, color, tooltip },
            },
            {
              data: { name: "rows" },
              mark: { type: "point", filled: true, opacity: 1, size: 70 },
              encoding: {
                y,
                x: { ...x, field: "relative" },
                color,
                shape: { field: "verdict", type: "nominal", title: null, scale: shapes },
                tooltip,
              },
            },
          ],
        };
      },
    },
  ];
}

const figure = (value) => (value === null || value === undefined ? "–" : number(value));
const signedPercent = (share) =>
  share === null || share === undefined ? "–" : `${share > 0 ? "+" : ""}${number(share * 100)} %`;

function spread({ median, low, high }) {
  if (median === null || median === undefined) return "–";
  return `${figure(median)} (${figure(low)} to ${figure(high)})`;
}

function metricsTable(metrics, policies) {
  const rows = metrics.map((metric) => [
    withUnit(metric),
    groupName(metric.group),
    ...policies.map((name) => spread(metric.policies.find((of) => of.name === name) ?? {})),
    metric.against
      .map(
        (pair) =>
          `${pair.policy} against ${pair.baseline}: ${signedPercent(pair.relative)}, ${verdictWord(metric, pair.verdict)}`,
      )
      .join("; "),
  ]);
  return table(
    ["metric", "of", ...policies.map((name) => `${name}: median (from to)`), "difference"],
    rows,
  );
}

/** Table of the options in which the policies differ. */
function optionsTable(options, policies) {
  const rows = options.map(({ key, values }) => [key, ...values]);
  return table(["option", ...policies], rows, "Options that differ; – where a policy has none");
}

/** The comparison's conclusions in words, and a note on repeats without variance. */
function words(data) {
  const identical = data.identical_repeats ?? [];
  const texts = [...(data.in_words ?? [])];
  if (identical.length > 0)
    texts.push(
      `All repeats of ${identical.join(", ")} are identical, so differences between these policies cannot be tested.`,
    );
  if (data.slowdown) texts.push(data.slowdown);
  return texts.map((text) => el("p", {}, text));
}

function incomplete(policies) {
  const bad = policies.flatMap(({ name, runs }) =>
    runs
      .filter((run) => run.status !== "done")
      .map((run) => `${name}, seed ${run.seed}: ${run.status ?? "not known"}`),
  );
  return bad.length === 0
    ? null
    : el(
        "p",
        { class: "warning", role: "alert" },
        `Runs that were not simply done: ${bad.join("; ")}`,
      );
}

/** Returns whether a metric's values differ, so that a chart is useful. */
const varies = (metric) => new Set(metric.policies.flatMap((of) => of.values)).size > 1;

/** Fills `page` with a comparison of policies. */
export function showComparison(page, data, board) {
  const policies = data.policies.map((policy) => policy.name);
  const groups = [...new Set(data.metrics.map((metric) => groupName(metric.group)))];
  const pairs = new Map(
    data.metrics
      .flatMap((metric) => metric.against)
      .map((pair) => [`${pair.policy}\n${pair.baseline}`, pair]),
  );
  page.append(
    el("h1", {}, `${data.scenario}: ${policies.join(", ")}`),
    el(
      "p",
      { class: "lead" },
      `${data.mode ?? ""}, ${data.repeat} repeats, the same arrivals and seeds for each policy`,
    ),
    ...[incomplete(data.policies)].filter(Boolean),
    ...words(data),
    ...(data.options?.length ? [optionsTable(data.options, policies)] : []),
  );
  const of = (group) => data.metrics.filter((metric) => groupName(metric.group) === group);
  const differences = groups.flatMap((group) =>
    [...pairs.values()].flatMap((pair) =>
      forest(of(group), pair.policy, pair.baseline, data.level, group),
    ),
  );
  if (differences.length > 0)
    page.append(
      section("differences", "Differences", grid(differences.map((chart) => board.add(chart)))),
    );
  for (const group of groups) {
    const shown = of(group).filter(varies);
    if (shown.length === 0) continue;
    const figures = shown.map((metric) => board.add(dots(metric, policies)));
    page.append(section(`metrics-${slug(group)}`, `Metrics: ${group}`, grid(figures)));
  }
  page.append(
    section(
      "table",
      "All figures",
      el("p", { class: "muted" }, "Only this table has metrics that are equal in all runs."),
      metricsTable(data.metrics, policies),
    ),
  );
}

const grid = (figures) => el("div", { class: "charts" }, ...figures);

/** Chart of a metric over the first key, with a line for each combination of the other keys. */
function curve(data, key) {
  const [first, ...rest] = data.over;
  const points = data.points.filter((point) => point.metrics[key]);
  const about = points[0].metrics[key];
  const others = (point) => rest.map((over, i) => `${over.key} ${point.values[i + 1]}`).join(", ");
  const isNumber = first.values.every((value) => value !== "" && Number.isFinite(Number(value)));
  const x = (point) => (isNumber ? Number(point.values[0]) : String(point.values[0]));
  const names = [...new Set(points.map(others))];
  const rows = points.map((point) => {
    const { median, low, high } = point.metrics[key];
    return { x: x(point), others: others(point), median, low, high };
  });
  const each = points.flatMap((point) =>
    point.metrics[key].values.map((value) => ({ x: x(point), others: others(point), value })),
  );
  return {
    id: `curve-${slug(key)}`,
    title: about.title,
    half: true,
    data: () => ({
      curve: rows.filter((row) => row.median !== null),
      each: each.filter((row) => row.value !== null),
    }),
    spec: (colours) => {
      const across = {
        field: "x",
        type: isNumber ? "quantitative" : "ordinal",
        title: first.key,
        sort: null,
        ...(isNumber ? { scale: { zero: false } } : {}),
      };
      const up = { type: "quantitative", title: withUnit(about), scale: { zero: false } };
      const color = {
        field: "others",
        type: "nominal",
        title: null,
        scale: nominal(names, colours),
        ...(names.length > 1 ? {} : { legend: null }),
      };
      const tooltip = tips(
        ["x", first.key],
        ...(names.length > 1 ? [["others", "with"]] : []),
        ["median", "median", ".4~g"],
        ["low", "from", ".4~g"],
        ["high", "to", ".4~g"],
      );
      return {
        height: 230,
        layer: [
          {
            data: { name: "curve" },
            mark: { type: "area", opacity: 0.18 },
            encoding: { x: across, y: { ...up, field: "low" }, y2: { field: "high" }, color },
          },
          {
            data: { name: "each" },
            mark: { type: "point", opacity: 0.5, size: 16 },
            encoding: { x: across, y: { ...up, field: "value" }, color },
          },
          {
            data: { name: "curve" },
            mark: { type: "line", point: true },
            encoding: { x: across, y: { ...up, field: "median" }, color, tooltip },
          },
        ],
      };
    },
  };
}

/** Fills `page` with a sweep. */
export function showSweep(page, data, board) {
  const keys = [...new Set(data.points.flatMap((point) => Object.keys(point.metrics)))];
  const overs = data.over.map((over) => over.key);
  page.append(
    el("h1", {}, `${data.scenario} over ${overs.join(", ")}`),
    el("p", { class: "lead" }, `${data.mode ?? ""}, ${data.points.length} points`),
    data.slowdown ? el("p", {}, data.slowdown) : "",
  );
  if (keys.length > 0)
    page.append(section("curves", "Curves", grid(keys.map((key) => board.add(curve(data, key))))));
  const titles = keys.map((key) =>
    withUnit(data.points.find((point) => point.metrics[key]).metrics[key]),
  );
  const rows = data.points.map((point) => [
    ...point.values.map(String),
    ...keys.map((key) => spread(point.metrics[key] ?? {})),
  ]);
  page.append(
    section(
      "table",
      "All figures",
      table([...overs, ...titles.map((title) => `${title}: median (from to)`)], rows),
    ),
  );
}
