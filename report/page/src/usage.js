// Charts of allocated and used resources over time, with the capacity.
import { gib, number } from "./dom.js";
import { points } from "./data.js";
import { bandLayer, bandsOfCluster, bandsOfNodes } from "./faults.js";
import { TIME_ZOOM, timeAxis } from "./time.js";

const NAMES = ["allocated", "used", "capacity", "allowance"];
const NODES_AT_ONCE = 16;

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
  return [
    ...(allocated ? points(allocated[kind], fields("allocated"), scale) : []),
    ...(used ? points(used[kind], fields("used"), scale) : []),
    ...level(scale(limits.capacity[kind]), run.end_s, fields("capacity")),
    ...(limits.allowance[kind] === limits.capacity[kind]
      ? []
      : level(scale(limits.allowance[kind]), run.end_s, fields("allowance"))),
  ];
}

/** Returns a line for each series, and bands for faults if there are any. Allocated amounts hold
 *  until they change; used amounts are of the time before a sample. */
function lineLayers(kind, run, colours, hasFaults, zoom) {
  const names = NAMES.filter(
    (name) => name !== "allowance" || run.allowance[kind] !== run.capacity[kind],
  );
  const [blue, orange] = colours.palette;
  const color = {
    field: "series",
    type: "nominal",
    title: null,
    scale: { domain: names, range: [blue, orange, colours.muted, colours.bad] },
  };
  const dash = {
    field: "series",
    type: "nominal",
    title: null,
    scale: {
      domain: names,
      range: [
        [1, 0],
        [1, 0],
        [6, 3],
        [2, 2],
      ],
    },
  };
  const encoding = {
    x: timeAxis(run),
    y: { field: "v", type: "quantitative", title: KINDS[kind].unit },
    color,
    strokeDash: dash,
  };
  const layer = (filter, interpolate, params) => ({
    ...(params ? { params } : {}),
    transform: [{ filter }],
    mark: { type: "line", interpolate, clip: true, strokeWidth: 1.4 },
    encoding,
  });
  return [
    ...(hasFaults ? [bandLayer(run, colours)] : []),
    layer("datum.series !== 'used' && datum.series !== 'fault'", "step-after", zoom),
    layer("datum.series === 'used'", "step-before"),
  ];
}

const ZOOM = [TIME_ZOOM];

function ofCluster(run, kind) {
  const faults = bandsOfCluster(run);
  const data = () => ({
    lines: [...lines(run, kind, {}, run.allocated?.cluster, run.used?.cluster, run), ...faults],
  });
  return {
    id: `cluster-${kind}`,
    title: `Cluster: ${KINDS[kind].title} allocated and used`,
    note:
      faults.length > 0
        ? "Shaded, or an upright line: faults of the scenario, and when the master was away."
        : null,
    half: true,
    time: true,
    data,
    spec: (colours) => ({
      height: 220,
      data: { name: "lines" },
      layer: lineLayers(kind, run, colours, faults.length > 0, ZOOM),
    }),
  };
}

function ofNodes(run, kind, filter) {
  const shown = () => run.nodes.filter((node) => filter.node(node.name)).slice(0, NODES_AT_ONCE);
  const faults = () => {
    const names = shown().map((node) => node.name);
    return bandsOfNodes(run, (name) => names.includes(name));
  };
  const data = () => ({
    lines: shown()
      .flatMap((node) => {
        const at = run.nodes.indexOf(node);
        const limits = { capacity: node, allowance: node.allowance };
        return lines(
          run,
          kind,
          { node: node.name },
          run.allocated?.nodes[at],
          run.used?.nodes[at],
          limits,
        );
      })
      .concat(faults()),
  });
  const notes = [
    run.node_count > NODES_AT_ONCE &&
      `At most ${NODES_AT_ONCE} of ${number(run.node_count)} nodes at a time: the first of those chosen.`,
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
    note: notes.join(" "),
    wide: true,
    filtered: ["lines"],
    data,
    pick: (datum, event) => datum.node && filter.pick("nodes", datum.node, event.shiftKey),
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
        layer: lineLayers(kind, run, colours, faults().length > 0),
      },
    }),
  };
}

/** Returns the charts of a run; none if nothing was held or measured. */
export function usageCharts(run, filter) {
  if (!run.allocated && !run.used) return [];
  const kinds = Object.keys(KINDS);
  return [
    ...kinds.map((kind) => ofCluster(run, kind)),
    ...kinds.map((kind) => ofNodes(run, kind, filter)),
  ];
}
