// Charts of allocated and used resources over time, with the capacity.
import { gib, number } from "./dom.js";
import { points } from "./data.js";
import { bandLayer, bandsOfCluster, bandsOfNodes } from "./faults.js";
import { TIME_ZOOM, timeAxis } from "./time.js";

const NAMES = ["allocated", "used", "capacity", "allowance"];
const NODES_AT_ONCE = 16;
const FAR_PART = 4; // a limit this many times as high as all else would flatten the lines

const KINDS = {
  cores: { title: "cores", unit: "cores", scale: (v) => v },
  memory: { title: "memory", unit: "GiB", scale: gib },
};

function level(value, end, fields) {
  return [0, end].map((t) => ({ t, v: value, ...fields }));
}

/** Returns the rows of one place (node or cluster): allocated and used series, and the limits. */
function lines(run, kind, place, allocated, used, limits) {
  const { scale } = KINDS[kind];
  const fields = (series) => ({ ...place, series });
  const own = [
    ...(allocated ? points(allocated[kind], fields("allocated"), scale) : []),
    ...(used ? points(used[kind], fields("used"), scale) : []),
  ];
  const most = own.reduce((sum, { v, high }) => Math.max(sum, high ?? v), 0);
  const levels = ["capacity", "allowance"]
    .filter((name) => name === "capacity" || limits.allowance[kind] !== limits.capacity[kind])
    .map((name) => [name, scale(limits[name][kind])])
    .filter(([, value]) => value <= FAR_PART * most);
  return [...own, ...levels.flatMap(([name, value]) => level(value, run.end_s, fields(name)))];
}

/** Returns a line for each series, bands between the smallest and the greatest values of long runs,
 *  and bands for faults if there are any. Allocated amounts hold until they change; used amounts are
 *  of the time before a sample. */
function lineLayers(kind, rows, run, colours, zoom) {
  const has = (test) => rows.some(test);
  const names = NAMES.filter((name) => has(({ series }) => series === name));
  const only = (values) => names.map((name) => values[NAMES.indexOf(name)]);
  const [blue, orange] = colours.palette;
  const color = {
    field: "series",
    type: "nominal",
    title: null,
    scale: { domain: names, range: only([blue, orange, colours.muted, colours.bad]) },
  };
  const dashes = only([
    [1, 0],
    [1, 0],
    [6, 3],
    [2, 2],
  ]);
  const strokeDash = {
    field: "series",
    type: "nominal",
    title: null,
    scale: { domain: names, range: dashes },
  };
  const x = timeAxis();
  const y = { field: "v", type: "quantitative", title: KINDS[kind].unit };
  const line = (filter, interpolate, params) => ({
    ...(params ? { params } : {}),
    transform: [{ filter }],
    mark: { type: "line", interpolate, clip: true, strokeWidth: 1.4 },
    encoding: { x, y, color, strokeDash },
  });
  const band = {
    transform: [{ filter: "isValid(datum.high)" }],
    mark: { type: "area", clip: true, opacity: 0.18, interpolate: "step" },
    encoding: {
      x,
      y: { ...y, field: "low" },
      y2: { field: "high" },
      color,
    },
  };
  const banded = has(({ high }) => high !== undefined);
  const step = (how) => (banded ? "linear" : how);
  return [
    ...(has(({ series }) => series === "fault") ? [bandLayer(run, colours)] : []),
    ...(banded ? [band] : []),
    line("datum.series !== 'used' && datum.series !== 'fault'", step("step-after"), zoom),
    line("datum.series === 'used'", step("step-before")),
  ];
}

const ZOOM = [TIME_ZOOM];

/** Returns notes on bands and on limits that are not drawn. */
function notes(rows, kind, limits) {
  const isBand = rows.some(({ high }) => high !== undefined);
  const hasCapacity = rows.some(({ series }) => series === "capacity");
  const { scale, unit } = KINDS[kind];
  return [
    isBand && "Line: mean; pale: from the smallest to the greatest value.",
    limits &&
      !hasCapacity &&
      `Capacity: ${number(scale(limits.capacity[kind]))} ${unit}, above the chart.`,
  ].filter(Boolean);
}

function ofCluster(run, kind) {
  const faults = bandsOfCluster(run);
  const rows = [...lines(run, kind, {}, run.allocated?.cluster, run.used?.cluster, run), ...faults];
  const parts = [
    ...notes(rows, kind, run),
    ...(faults.length > 0
      ? ["Shaded, or an upright line: faults of the scenario, and when the master was away."]
      : []),
  ];
  return {
    id: `cluster-${kind}`,
    title: `Cluster: ${KINDS[kind].title} allocated and used`,
    note: parts.join(" "),
    half: true,
    time: true,
    data: () => ({ lines: rows }),
    spec: (colours) => ({
      height: 220,
      data: { name: "lines" },
      layer: lineLayers(kind, rows, run, colours, ZOOM),
    }),
  };
}

function ofNodes(run, kind, { filter, panel }) {
  const shown = () => run.nodes.filter((node) => filter.node(node.name)).slice(0, NODES_AT_ONCE);
  const ofNode = (node) => {
    const at = run.nodes.indexOf(node);
    const limits = { capacity: node, allowance: node.allowance };
    const place = { node: node.name };
    return lines(run, kind, place, run.allocated?.nodes[at], run.used?.nodes[at], limits);
  };
  const all = () => {
    const names = shown().map((node) => node.name);
    return [...shown().flatMap(ofNode), ...bandsOfNodes(run, (name) => names.includes(name))];
  };
  const parts = [
    run.node_count > NODES_AT_ONCE &&
      `At most ${NODES_AT_ONCE} of ${number(run.node_count)} nodes at a time: the first of those chosen.`,
    ...notes(all(), kind, null),
    bandsOfNodes(run, () => true).length > 0 &&
      "Shaded: faults of the scenario, and times at which a node is lost.",
  ].filter(Boolean);
  const columns = (width) => Math.max(1, Math.min(shown().length, width > 900 ? 4 : 2));
  const axisWidth = 45;
  const spacing = 30;
  const menuWidth = 45;
  return {
    id: `nodes-${kind}`,
    title: `Nodes: ${KINDS[kind].title} allocated and used`,
    note: parts.join(" "),
    wide: true,
    filtered: ["lines"],
    data: () => ({ lines: all() }),
    pick: (datum, event) => datum.node && panel.pickNode(run.label, datum.node, event.shiftKey),
    spec: (colours, width) => ({
      data: { name: "lines" },
      facet: {
        field: "node",
        type: "nominal",
        title: null,
        sort: run.nodes.map((node) => node.name),
      },
      columns: columns(width),
      spacing,
      spec: {
        width: Math.max(140, (width - axisWidth - menuWidth) / columns(width) - spacing - 4),
        height: 110,
        layer: lineLayers(kind, all(), run, colours),
      },
    }),
  };
}

/** Returns the charts of a run; none if nothing was held or measured. A cluster of one node has no
 *  charts of its node, which would look the same. */
export function usageCharts(run, context) {
  if (!run.allocated && !run.used) return [];
  const kinds = Object.keys(KINDS);
  return [
    ...kinds.map((kind) => ofCluster(run, kind)),
    ...(run.node_count > 1 ? kinds.map((kind) => ofNodes(run, kind, context)) : []),
  ];
}
