// Page of a comparison of policies (compare.json).
import { el, fixed, number, shortPercent, table } from "./dom.js";
import { differences, verdictText, verdictWord } from "./differences.js";
import { gantts } from "./gantt.js";
import { namesAxis, nominal } from "./look.js";
import {
  affected,
  decimalsOf,
  distinct,
  domainOf,
  fewRuns,
  lead,
  missingRuns,
  sameAs,
  scaled,
  slug,
  spread,
  unitOf,
  withUnit,
} from "./metrics.js";
import { tips } from "./tips.js";

const groupName = ({ kind, name }) => (kind === "all" ? "all jobs" : `${kind} ${name}`);
const BETTER = { more: "More is better.", less: "Less is better." };

/** Chart with a dot for each repeat, beside the median and the interval. */
function dots({ metric, same }, policies) {
  const value = (of) => scaled(metric, of);
  const rows = metric.policies.flatMap(({ name, values }) =>
    values.map((of, repeat) => ({ policy: name, value: value(of), repeat: repeat + 1 })),
  );
  const spans = metric.policies
    .filter((of) => of.median !== null)
    .map(({ name, median, low, high }) => ({
      policy: name,
      median: value(median),
      low: value(low),
      high: value(high),
    }));
  const domain = domainOf([
    ...rows.map((row) => row.value),
    ...spans.flatMap(({ low, high, median }) => [low, high, median]),
  ]);
  return {
    id: `metric-${slug(metric.key)}-${slug(groupName(metric.group))}`,
    title: withUnit(metric),
    note: [BETTER[metric.better] ?? "Neither more nor less is better.", sameAs(same)]
      .filter(Boolean)
      .join(" "),
    half: true,
    data: () => ({ dots: rows.filter((row) => row.value !== null), spans }),
    spec: (colours) => {
      const y = {
        field: "policy",
        type: "nominal",
        title: null,
        sort: policies,
        axis: namesAxis(200),
      };
      const x = {
        type: "quantitative",
        title: String(unitOf(metric)) || null,
        scale: { domain, nice: false },
      };
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
        height: { step: 26 },
        layer: [
          {
            data: { name: "spans" },
            mark: { type: "bar", height: 9, opacity: 0.3 },
            encoding: { y, x: { ...x, field: "low" }, x2: { field: "high" }, color, tooltip },
          },
          {
            data: { name: "dots" },
            mark: { type: "point", filled: true, opacity: 0.7, size: 30 },
            encoding: {
              y,
              x: { ...x, field: "value" },
              color,
              tooltip: tips(
                ["policy", "policy"],
                ["repeat", "repeat"],
                ["value", String(withUnit(metric)), ".4~g"],
              ),
            },
          },
          {
            data: { name: "spans" },
            mark: { type: "tick", thickness: 3, size: 16 },
            encoding: { y, x: { ...x, field: "median" }, color, tooltip },
          },
        ],
      };
    },
  };
}

const signed = (share) =>
  share === null || share === undefined ? "–" : `${share > 0 ? "+" : ""}${shortPercent(share)}`;

/** Returns a relative difference and its interval: "-12.3 % [-14.0, -10.5]". */
function withInterval({ relative, relative_interval: interval }) {
  const end = (share) => `${share > 0 ? "+" : ""}${fixed(share * 100, 1)}`;
  return interval ? `${signed(relative)} [${interval.map(end).join(", ")}]` : signed(relative);
}

const valuesOf = (metric, name) => metric.policies.find((of) => of.name === name) ?? {};

/** Table of the headline metrics: a line for each policy, with its difference to the baseline. */
function headlines({ metrics, policies: all, level }, policies) {
  const shown = metrics.filter((metric) => metric.headline);
  if (shown.length === 0) shown.push(...metrics.slice(0, 3));
  const cell = (metric, name) => {
    const pair = metric.against.find(({ policy }) => policy === name);
    const digits = decimalsOf(metric, metric.policies);
    const value = el("div", { class: "value" }, spread(metric, valuesOf(metric, name), digits));
    if (!pair) return value;
    const word = verdictWord(metric, pair.verdict);
    const tint = { better: "good", worse: "bad" }[word] ?? "muted";
    return el(
      "div",
      {},
      value,
      el("div", { class: tint }, `${withInterval(pair)}, ${verdictText(metric, pair)}`),
    );
  };
  const baseline = shown.flatMap((metric) => metric.against)[0]?.baseline;
  const notes = (name, i) =>
    [name === baseline ? "baseline" : "", fewRuns(all[i].runs)].filter(Boolean).join(", ");
  const rows = policies.map((name, i) => [
    notes(name, i) ? `${name} (${notes(name, i)})` : name,
    ...shown.map((metric) => cell(metric, name)),
  ]);
  const tested = shown.some((metric) => metric.against.some((pair) => pair.relative_interval));
  const interval = tested ? ` [its ${number(level * 100)} % interval]` : "";
  const difference = baseline ? `, and mean difference to ${baseline}${interval}` : "";
  const note = `Median of the repeats (min–max)${difference}.`;
  const place = table(["policy", ...shown.map(withUnit)], rows);
  place.classList.add("headlines");
  return [place, el("p", { class: "muted" }, note)];
}

function metricsTable(metrics, policies) {
  const difference = (metric) =>
    metric.against
      .map(
        (pair) =>
          `${pair.policy} against ${pair.baseline}: ${signed(pair.relative)}, ${verdictText(metric, pair)}`,
      )
      .join("; ");
  const rows = metrics.map((metric) => [
    withUnit(metric),
    groupName(metric.group),
    ...policies.map((name) =>
      spread(metric, valuesOf(metric, name), decimalsOf(metric, metric.policies)),
    ),
    difference(metric),
  ]);
  return table(
    ["metric", "of", ...policies.map((name) => `${name}: median (min–max)`), "difference"],
    rows,
  );
}

/** Table of the options in which the policies differ. */
function optionsTable(options, policies) {
  const rows = options.map(({ key, values }) => [key, ...values]);
  return table(["option", ...policies], rows, {
    caption: "Options that differ; – if a policy does not have the option",
  });
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

/** Says in how many runs of each policy jobs failed. */
function failedJobs(policies) {
  const bad = policies
    .map(({ name, runs }) => ({ name, failed: runs.filter((run) => run.status === "failed") }))
    .filter(({ failed }) => failed.length > 0)
    .map(({ name, failed }) => `${name} at seed ${failed.map((run) => run.seed).join(", ")}`);
  if (bad.length === 0) return [];
  return [el("p", { class: "warning", role: "alert" }, `Jobs failed: ${bad.join("; ")}`)];
}

/** Says of which runs the containers are shown. */
function ganttNote(runs, policies) {
  const missing = policies.filter((name) => !runs.some((run) => run.label === name));
  const texts = ["The first run of each policy, with the same arrivals."];
  if (missing.length > 0)
    texts.push(`Not shown: ${missing.join(", ")} (no journal, or too large).`);
  return el("p", { class: "muted" }, texts.join(" "));
}

function ganttSection(data, policies, context) {
  const runs = data.runs ?? [];
  if (runs.length === 0) return { id: "containers" };
  context.take(runs, data.why_url);
  const charts = gantts(runs, context);
  const before = charts.length > 0 ? [ganttNote(runs, policies)] : [];
  return { id: "containers", title: "Containers by node", before, charts };
}

/** Returns a function that shows a comparison. */
export function comparisonPage(context) {
  return (data) => {
    const policies = data.policies.map((policy) => String(policy.name));
    const groups = [...new Set(data.metrics.map((metric) => groupName(metric.group)))];
    const of = (group) => data.metrics.filter((metric) => groupName(metric.group) === group);
    const against = data.metrics.flatMap((metric) => metric.against);
    const pairs = new Map(against.map((pair) => [`${pair.policy}\n${pair.baseline}`, pair]));
    const forest = (group) =>
      [...pairs.values()].flatMap((pair) =>
        differences(of(group), pair.policy, pair.baseline, data.level, group),
      );
    const metricCharts = (group) =>
      distinct(of(group), (metric) => metric.policies.map(({ values }) => values)).map((found) =>
        dots(found, policies),
      );
    document.title = `Heddle: ${data.scenario}`;
    const repeats = `${number(data.repeat)} ${data.repeat === 1 ? "repeat" : "repeats"}`;
    return context.layout.show([
      {
        id: "head",
        before: [
          el("h1", {}, `${data.scenario}: ${policies.join(", ")}`),
          lead(`${data.mode ?? ""}, ${repeats}, the same arrivals and seeds for each policy`),
          ...affected(data),
          ...missingRuns(data),
          ...failedJobs(data.policies),
          ...headlines(data, policies),
          ...words(data),
          ...(data.options?.length ? [optionsTable(data.options, policies)] : []),
        ],
      },
      ganttSection(data, policies, context),
      { id: "differences", title: "Differences", charts: groups.flatMap(forest) },
      ...groups.map((group) => ({
        id: `metrics-${slug(group)}`,
        title: `Metrics: ${group}`,
        charts: metricCharts(group),
      })),
      {
        id: "table",
        title: "All figures",
        before: [
          el("p", { class: "muted" }, "Only this table has metrics that are equal in all runs."),
        ],
        after: [metricsTable(data.metrics, policies)],
      },
    ]);
  };
}
