// The estimation capacity model: its estimates and the measurements, node by node.
import { gib } from "./dom.js";
import { points } from "./data.js";
import { nominal } from "./look.js";
import { timeAxis } from "./time.js";

const AT_ONCE = 8;
const KINDS = [
  [0, "cores", "cores", (v) => v],
  [1, "memory", "GiB", gib],
];

/** Charts with two lines for each node. `series(node, index, kind)`: [[name, {t, v}]…]. */
function byNode(
  run,
  { filter, panel },
  nodes,
  [index, kind, unit, scale],
  { id, title, names, series },
) {
  const shown = (by) => nodes.filter((node) => by.node(node.name)).slice(0, AT_ONCE);
  const lines = (node) =>
    series(node, index, kind).flatMap((line, i) =>
      line ? points(line, { series: names[i], node: node.name }, scale) : [],
    );
  const columns = () => Math.max(1, Math.min(shown(filter).length, 2));
  return {
    id: `${id}-${kind}`,
    title: `Estimation: ${title}, ${kind} by node`,
    note: nodes.length > AT_ONCE ? `At most ${AT_ONCE} nodes at a time, of those chosen.` : null,
    wide: true,
    filtered: ["lines"],
    data: (by) => ({
      lines: shown(by).flatMap(lines),
    }),
    pick: (datum, event) => datum.node && panel.pickNode(run.label, datum.node, event.shiftKey),
    spec: (colours, width) => ({
      data: { name: "lines" },
      facet: { field: "node", type: "nominal", title: null, sort: nodes.map((node) => node.name) },
      columns: columns(),
      spacing: 30,
      spec: {
        width: Math.max(180, width / columns() - 82),
        height: 130,
        mark: { type: "line", interpolate: "step-after", strokeWidth: 1.2, opacity: 0.85 },
        encoding: {
          x: timeAxis(),
          y: { field: "v", type: "quantitative", title: unit },
          color: { field: "series", type: "nominal", title: null, scale: nominal(names, colours) },
        },
      },
    }),
  };
}

export function estimationCharts(run, context) {
  const state = run.states?.["estimation.node"];
  if (!state) return [];
  const nodes = run.nodes.filter((node) => state[node.name]);
  const used = (node, kind) => run.used?.nodes[run.nodes.indexOf(node)]?.[kind];
  const kinds = [
    {
      id: "estimation",
      title: "E against U",
      names: ["E, estimate of containers", "U, measured"],
      series: (node, index, kind) => [
        state[node.name][`containers_estimate.${index}`],
        used(node, kind),
      ],
    },
    {
      id: "estimation-free",
      title: "what is free",
      names: ["by estimates", "by requests"],
      series: (node, index) => [
        state[node.name][`free.${index}`],
        state[node.name][`free_by_requests.${index}`],
      ],
    },
  ];
  return KINDS.flatMap((kind) => kinds.map((what) => byNode(run, context, nodes, kind, what)));
}
