// Chart of a comparison: differences of a policy to the baseline.
import { number } from "./dom.js";
import { namesAxis } from "./look.js";
import { slug } from "./metrics.js";
import { tips } from "./tips.js";

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
const WIDEST = 2.5; // an interval is cut at this many times the largest difference

/** Returns the verdict of a difference for people, and whether it is exact. */
export const verdictText = (metric, pair) =>
  verdictWord(metric, pair.verdict) + (pair.exact && pair.verdict !== "equal" ? ", exact" : "");

/** Returns the verdict for people: better, worse, or another word. */
export function verdictWord(metric, verdict) {
  if (verdict === "no variance") return "not tested";
  if (verdict === "too few") return "too few repeats";
  if (verdict === "affected") return "runs affected";
  if ((verdict !== "less" && verdict !== "more") || metric.better === null) return verdict;
  return verdict === metric.better ? "better" : "worse";
}

/** Returns [from, until] of the axis, which contains 0, and whether intervals are cut. */
function range(rows) {
  const most = rows.reduce((sum, { relative }) => Math.max(sum, Math.abs(relative)), 0.02);
  const low = Math.min(0, ...rows.map(({ from }) => from));
  const high = Math.max(0, ...rows.map(({ to }) => to));
  const limits = [Math.max(low, -WIDEST * most), Math.min(high, WIDEST * most)];
  const space = (limits[1] - limits[0] || most) * 0.03;
  return {
    domain: [limits[0] - space, limits[1] + space],
    isCut: limits[0] > low || limits[1] < high,
  };
}

/** Chart of the paired differences of metrics with their intervals, relative to the baseline. */
export function differences(metrics, policy, baseline, level, group) {
  const rows = metrics.flatMap((metric) =>
    metric.against
      .filter((pair) => pair.policy === policy && pair.baseline === baseline)
      .filter((pair) => pair.relative !== null && pair.verdict !== "equal")
      .map((pair) => ({
        metric: metric.title,
        relative: pair.relative,
        from: pair.relative_interval?.[0] ?? pair.relative,
        to: pair.relative_interval?.[1] ?? pair.relative,
        verdict: verdictWord(metric, pair.verdict),
      })),
  );
  if (rows.length === 0) return [];
  const { domain, isCut } = range(rows);
  const parts = [
    `Differences run by run, as shares of ${baseline}'s; bars are ${number(level * 100)} % intervals.`,
    isCut ? "Intervals that reach beyond the axis are cut." : "",
  ];
  const x = {
    type: "quantitative",
    title: `difference to ${baseline}`,
    axis: { format: "+.0~%", labelExpr: "datum.value === 0 ? '0' : datum.label" },
    scale: { domain, nice: false },
  };
  return [
    {
      id: `forest-${slug(policy)}-${slug(baseline)}-${slug(group)}`,
      title: `${policy} against ${baseline}: ${group}`,
      note: parts.join(" ").trim(),
      half: true,
      data: () => ({ rows, zero: [{ zero: 0 }] }),
      spec: (colours) => {
        const y = {
          field: "metric",
          type: "nominal",
          title: null,
          sort: null,
          axis: namesAxis(260),
        };
        const tints = WORDS.map(
          (word) => ({ better: colours.palette[2], worse: colours.bad })[word] ?? colours.muted,
        );
        const present = WORDS.filter((word) => rows.some((row) => row.verdict === word));
        const only = (values) => present.map((word) => values[WORDS.indexOf(word)]);
        const scale = { domain: present, range: only(tints) };
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
          height: { step: 22 },
          layer: [
            {
              data: { name: "rows" },
              mark: { type: "bar", height: 11, opacity: 0.4, clip: true },
              encoding: {
                y,
                x: { ...x, field: "from" },
                x2: { field: "to" },
                color,
                tooltip,
              },
            },
            {
              data: { name: "zero" },
              mark: { type: "rule", strokeWidth: 1.5, color: colours.text },
              encoding: { x: { ...x, field: "zero" } },
            },
            {
              data: { name: "rows" },
              mark: { type: "point", filled: true, opacity: 1, size: 60, clip: true },
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
