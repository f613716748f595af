// Page of a sweep over values of keys (sweep.json).
import { el, table } from "./dom.js";
import { nominal } from "./look.js";
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

/** Returns the metrics of a sweep: {key, title, unit, better, headline}. */
function metricsOf(data) {
  const keys = [...new Set(data.points.flatMap((point) => Object.keys(point.metrics)))];
  return keys.map((key) => ({
    key,
    ...data.points.find((point) => point.metrics[key]).metrics[key],
  }));
}

const isNumber = (value) => value !== "" && Number.isFinite(Number(value));

/** Chart of a metric over the first key, with a line for each combination of the other keys. */
function curve(data, { metric, same }) {
  const [first, ...rest] = data.over;
  const others = (point) => rest.map((over, i) => `${over.key} ${point.values[i + 1]}`).join(", ");
  const isNumeric = first.values.every(isNumber);
  const points = data.points
    .filter((point) => point.metrics[metric.key])
    .map((point) => ({
      of: point.metrics[metric.key],
      x: isNumeric ? Number(point.values[0]) : String(point.values[0]),
      others: others(point),
    }));
  const names = [...new Set(points.map((point) => point.others))];
  const value = (of) => scaled(metric, of);
  const rows = points.map(({ of: { median, low, high }, ...fields }) => ({
    ...fields,
    median: value(median),
    low: value(low),
    high: value(high),
  }));
  const each = points.flatMap(({ of, ...fields }) =>
    of.values.map((one) => ({ ...fields, value: value(one) })),
  );
  const domain = domainOf([
    ...each.map((row) => row.value),
    ...rows.flatMap(({ low, high }) => [low, high]),
  ]);
  return {
    id: `curve-${slug(metric.key)}`,
    title: withUnit(metric),
    note: sameAs(same),
    half: true,
    data: () => ({
      curve: rows.filter((row) => row.median !== null),
      each: each.filter((row) => row.value !== null),
    }),
    spec: (colours) => {
      const across = {
        field: "x",
        type: isNumeric ? "quantitative" : "ordinal",
        title: String(first.key),
        sort: null,
        ...(isNumeric
          ? { scale: { domain: domainOf(rows.map(({ x }) => x)), nice: false } }
          : { axis: { labelAngle: 0 } }),
      };
      const up = {
        type: "quantitative",
        title: String(unitOf(metric)) || null,
        scale: { domain, nice: false },
      };
      const color = {
        field: "others",
        type: "nominal",
        title: null,
        scale: nominal(names, colours),
        ...(names.length > 1 ? {} : { legend: null }),
      };
      const tooltip = tips(
        ["x", String(first.key)],
        ...(names.length > 1 ? [["others", "with"]] : []),
        ["median", "median", ".4~g"],
        ["low", "from", ".4~g"],
        ["high", "to", ".4~g"],
      );
      return {
        height: 210,
        layer: [
          {
            data: { name: "curve" },
            mark: { type: "area", opacity: 0.15 },
            encoding: { x: across, y: { ...up, field: "low" }, y2: { field: "high" }, color },
          },
          {
            data: { name: "each" },
            mark: { type: "point", opacity: 0.6, size: 16 },
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

const pointName = (data, point) =>
  data.over.length === 1 ? String(point.values[0]) : point.values.map(String).join(", ");

/** Returns the values of a metric in all points. */
const spreadsOf = (data, metric) => data.points.map((point) => point.metrics[metric.key] ?? {});

/** Table with a line for each point, of the headline metrics. */
function headlines(data, metrics) {
  const some = metrics.filter((metric) => metric.headline);
  const shown = some.length > 0 ? some : metrics.slice(0, 3);
  const few = data.missing ? ["runs"] : [];
  const digits = shown.map((metric) => decimalsOf(metric, spreadsOf(data, metric)));
  const rows = data.points.map((point) => [
    ...point.values.map(String),
    ...few.map(() => fewRuns(point.runs) || String(point.runs.length)),
    ...shown.map((metric, i) => spread(metric, point.metrics[metric.key] ?? {}, digits[i])),
  ]);
  const keys = data.over.map((over) => over.key);
  const place = table([...keys, ...few, ...shown.map(withUnit)], rows);
  place.classList.add("headlines");
  return [place, el("p", { class: "muted" }, "Median of the repeats (min–max).")];
}

/** Table of all metrics, with a column for each point. */
function allFigures(data, metrics) {
  const rows = metrics.map((metric) => [
    withUnit(metric),
    ...spreadsOf(data, metric).map((one, _, all) => spread(metric, one, decimalsOf(metric, all))),
  ]);
  return table(["median (min–max)", ...data.points.map((point) => pointName(data, point))], rows);
}

/** Returns a function that shows a sweep. */
export function sweepPage(context) {
  return (data) => {
    const metrics = metricsOf(data);
    const overs = data.over.map((over) => over.key).join(", ");
    const values = (metric) => data.points.map((point) => point.metrics[metric.key]?.values ?? []);
    document.title = `Heddle: ${data.scenario}`;
    return context.layout.show([
      {
        id: "head",
        before: [
          el("h1", {}, `${data.scenario} over ${overs}`),
          lead(`${data.mode ?? ""}, ${data.points.length} points`),
          ...affected(data),
          ...missingRuns(data),
          ...headlines(data, metrics),
          ...(data.slowdown ? [el("p", {}, data.slowdown)] : []),
        ],
      },
      {
        id: "curves",
        title: "Curves",
        charts: distinct(metrics, values).map((found) => curve(data, found)),
      },
      { id: "table", title: "All figures", after: [allFigures(data, metrics)] },
    ]);
  };
}
