// Faults of the scenario and lost nodes in charts over time. A fault with a duration is a band; one
// without is a line or a mark.
import { number } from "./dom.js";
import { timeAxis } from "./time.js";
import { tips, toMilli } from "./tips.js";

const NAMED = 5; // maximum number of nodes that a tooltip names
const TIP = tips(
  ["what", "fault"],
  ["node"],
  ["t", "from, s"],
  ["until", "until, s"],
  ["length_s", "length, s"],
  ["reason"],
);

function row(what, node, from, until, more = {}) {
  const lasts = until > from;
  return {
    what,
    node,
    t: from,
    u: until,
    until: lasts ? until : null,
    length_s: lasts ? toMilli(until - from) : null,
    ...more,
  };
}

/** Returns the spans in which nodes are lost: until they register again, or to the end. */
function losses(run) {
  const since = new Map();
  const found = [];
  const back = (event, until) =>
    found.push(
      row("node lost", run.nodes[event.node].name, event.t, until, { reason: event.reason }),
    );
  for (const event of run.node_events) {
    if (event.event === "lost" && !since.has(event.node)) since.set(event.node, event);
    if (event.event === "registered" && since.has(event.node)) {
      back(since.get(event.node), event.t);
      since.delete(event.node);
    }
  }
  for (const event of since.values()) back(event, run.end_s);
  return found;
}

const ofNodes = (run) =>
  run.faults.flatMap((fault) =>
    fault.nodes.map((node) => row(fault.fault, run.nodes[node].name, fault.from, fault.until)),
  );

/** Returns when the master was killed and when the run was resumed, which is mostly the same time.
 *  */
function ofMaster(run) {
  const moments = [
    ...run.faults
      .filter((fault) => fault.node_count === 0)
      .map((fault) => row(fault.fault, "master", fault.from, fault.from)),
    ...run.resumptions.map(({ t, downtime_s }) =>
      row(`run resumed after ${number(downtime_s)} s, real`, "master", t, t),
    ),
  ].sort((a, b) => a.t - b.t);
  const found = [];
  for (const moment of moments) {
    const last = found[found.length - 1];
    if (last && moment.t - last.t < run.end_s / 500) last.what += `; ${moment.what}`;
    else found.push(moment);
  }
  return found;
}

/** Assigns faults of a node to lanes, so that they are not drawn over each other. */
function assignLanes(rows, shortest) {
  const busy = new Map(); // by node: the end of each lane's last fault
  for (const fault of rows) {
    if (!busy.has(fault.node)) busy.set(fault.node, []);
    const lanes = busy.get(fault.node);
    const free = lanes.findIndex((until) => until <= fault.t);
    fault.lane = free < 0 ? lanes.length : free;
    lanes[fault.lane] = Math.max(fault.u, fault.t + shortest);
  }
  return rows;
}

/** For the Gantt chart: returns faults by node with their lanes, and each node's number of lanes.
 *  */
export function faultLanes(run) {
  const rows = assignLanes(ofNodes(run), run.end_s / 100);
  const lanes = run.nodes.map(({ name }) =>
    rows.reduce((most, fault) => (fault.node === name ? Math.max(most, fault.lane + 1) : most), 0),
  );
  return { rows, lanes };
}

/** For the Gantt chart: returns rows at the places of its nodes, by the names of the layers' data.
 *  */
export function faultMarks(run, places) {
  const place = Object.fromEntries(places.map((band) => [band.name, band]));
  const on = faultLanes(run).rows.map((fault) => {
    const y = place[fault.node].from + fault.lane;
    return { ...fault, y0: y + 0.15, y1: y + 0.85, y: y + 0.5 };
  });
  return {
    lost: losses(run).map((loss) => ({
      ...loss,
      y0: place[loss.node].first,
      y1: place[loss.node].until,
    })),
    faults: on.filter((fault) => fault.length_s !== null),
    strikes: on.filter((fault) => fault.length_s === null),
    master: ofMaster(run),
  };
}

/** Returns the layers of faults. `span` has x, x2, y and y2 of a band; `size` is the size of a
 *  mark. */
export function faultLayers(span, size, colours) {
  const bad = { color: colours.bad, clip: true };
  const band = { ...bad, type: "rect", fillOpacity: 0.4, stroke: colours.bad };
  const point = { ...bad, type: "point", shape: "triangle-up", filled: true, opacity: 1 };
  return {
    lost: {
      data: { name: "lost" },
      mark: { ...bad, type: "rect", fillOpacity: 0.18 },
      encoding: { ...span, tooltip: TIP },
    },
    faults: {
      data: { name: "faults" },
      mark: { ...band, strokeWidth: size / 90, cursor: "pointer" }, // thinner in narrow lanes
      encoding: { ...span, tooltip: TIP },
    },
    strikes: {
      data: { name: "strikes" },
      mark: { ...point, size, stroke: colours.background, strokeWidth: 0.5, cursor: "pointer" },
      encoding: { x: span.x, y: { ...span.y, field: "y" }, tooltip: TIP },
    },
    master: {
      data: { name: "master" },
      mark: { ...bad, type: "rule", strokeWidth: 2, strokeDash: [4, 3] },
      encoding: { x: span.x, tooltip: TIP },
    },
  };
}

/** Sorts long faults first: the tooltip belongs to the fault that is drawn last. */
const longestFirst = (rows) => rows.sort((a, b) => b.u - b.t - (a.u - a.t));
const asBands = (rows) => longestFirst(rows.map((fault) => ({ ...fault, series: "fault" })));

/** Returns the bands for the charts of single nodes. */
export const bandsOfNodes = (run, isShown) =>
  asBands([...losses(run), ...ofNodes(run)].filter(({ node }) => isShown(node)));

/** Returns the bands for the charts of the cluster; a fault of several nodes is one band. */
export function bandsOfCluster(run) {
  const names = ({ nodes, node_count: count }) =>
    count > NAMED ? `${number(count)} nodes` : nodes.map((node) => run.nodes[node].name).join(", ");
  const faults = run.faults
    .filter((fault) => fault.node_count > 0)
    .map((fault) => row(fault.fault, names(fault), fault.from, fault.until));
  return asBands([...faults, ...ofMaster(run)]);
}

/** Returns the layer of the bands: the rows whose series is "fault". */
export const bandLayer = (run, colours) => ({
  transform: [{ filter: "datum.series === 'fault'" }],
  mark: {
    type: "rect",
    clip: true,
    color: colours.bad,
    fillOpacity: 0.12,
    stroke: colours.bad,
    strokeOpacity: 0.5,
    strokeWidth: 1,
  },
  encoding: { x: timeAxis(), x2: { field: "u" }, tooltip: TIP },
});
