// Rows of the Gantt chart: containers over time, with a band for each node and a lane for each of
// its containers.
import { outcomeWord } from "./colouring.js";
import { gib, number } from "./dom.js";
import { jobRows, rows } from "./data.js";
import { faultLanes, faultMarks } from "./faults.js";
import { toMilli } from "./tips.js";

export const MARKS = ["OOM kill", "failed", "lost", "second attempt or later"];
const GAP = 0.6; // space between nodes, in lanes

/** Returns the run with a band for each device in place of each node, and a bar for each device of a
 *  container. Returns null if no container that is drawn holds a device. */
export function byDevice(run) {
  if (!run.devices) return null;
  const { devices, bars } = run.devices;
  const pick = (columns, indices) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, indices.map((i) => column[i])]),
    );
  const copies = new Map(); // by bar: indices of its bars of devices
  bars.bar.forEach((bar, i) => copies.set(bar, [...(copies.get(bar) ?? []), i]));
  const ofDevices = (columns) => {
    const found = rows(columns).flatMap((row) =>
      (copies.get(row.bar) ?? []).map((bar) => ({ ...row, bar })),
    );
    return Object.fromEntries(
      Object.keys(columns).map((name) => [name, found.map((row) => row[name])]),
    );
  };
  return {
    ...run,
    nodes: devices.map(({ node, name, lanes }) => ({ node: run.nodes[node].name, name, lanes })),
    node_count: devices.length,
    bars: { ...pick(run.bars, bars.bar), node: bars.device, lane: bars.lane },
    suspended: ofDevices(run.suspended),
    kept: ofDevices(run.kept),
    reserved: {},
    node_events: [],
    faults: [],
    resumptions: [],
  };
}

/** Returns where each node's band begins and ends, in lanes: lanes for faults, one lane if the node
 *  was ever reserved, and lanes for containers. */
export function bands(run) {
  const reserved = new Set(run.reserved.node ?? []);
  const faults = faultLanes(run).lanes;
  let edge = 0;
  return run.nodes.map((node, i) => {
    const first = edge + faults[i] + (reserved.has(i) ? 1 : 0);
    const band = {
      name: node.name,
      node: node.node ?? node.name, // a device has a name of its own
      from: edge,
      reserved: edge + faults[i],
      first,
      until: first + Math.max(1, node.lanes),
    };
    edge = band.until + GAP;
    return band;
  });
}

/** Returns the containers of a run as rows. */
export function barRows(run, places = bands(run)) {
  const jobs = jobRows(run);
  const suspended = new Map();
  for (const { bar, from, until } of rows(run.suspended))
    suspended.set(bar, (suspended.get(bar) ?? 0) + until - from);
  const ends = new Map(rows(run.kept).map(({ bar, from }) => [bar, from]));
  return rows(run.bars).map((bar, i) =>
    barRow(run, jobs, places, bar, suspended.get(i) ?? 0, ends.get(i) ?? bar.until),
  );
}

/** `ended`: the end of the task. Its job can keep its resources for longer. */
function barRow(run, jobs, places, bar, suspended, ended) {
  const phase = run.phases[bar.phase];
  const job = jobs[phase.job];
  const band = places[bar.node];
  const lane = band.first + bar.lane;
  const waited = bar.waited ?? null;
  const from = waited ?? bar.started;
  return {
    job: job.name,
    queue: job.queue,
    class: job.class,
    user: job.user,
    framework: job.framework,
    phase: phase.name,
    kind: phase.kind,
    task: bar.count > 1 ? `${bar.count} tasks, drawn as one` : String(bar.task),
    attempt: bar.attempt,
    node: band.node,
    t: bar.from,
    u: bar.until,
    ended,
    y0: lane + 0.06,
    y1: lane + 0.94,
    outcome: outcomeWord(bar.outcome),
    whose: bar.oom,
    exit_code: bar.exit_code,
    started: bar.started,
    begun: bar.begun,
    waited,
    waited_s: waited === null ? null : toMilli(waited - bar.started),
    suspended_s: suspended > 0 ? toMilli(suspended) : null,
    worked_s:
      bar.count > 1 || from === null || from === undefined
        ? null
        : toMilli(Math.max(0, ended - from - suspended)),
    holds: `${number(bar.cores)} cores, ${number(gib(bar.memory))} GiB`,
    used:
      bar.cpu_s === undefined || bar.cpu_s === null
        ? null
        : `${number(bar.cpu_s)} core-s, at most ${number(gib(bar.peak))} GiB`,
    launch_ms: bar.launch_ms,
    locality: bar.locality,
    why: run.strings[bar.why],
    reason: run.strings[bar.reason],
  };
}

/** Returns the rows of the chart: bars and what is drawn on them. */
export function ganttRows(run, places) {
  const bars = barRows(run, places);
  const phases = run.phases.map((phase) => ({ ...phase, job: run.summary.jobs[phase.job].name }));
  const suspensions = new Map(); // by bar
  const suspended = rows(run.suspended).map(({ bar, from, until }) => {
    if (!suspensions.has(bar)) suspensions.set(bar, []);
    suspensions.get(bar).push([from, until]);
    return { ...bars[bar], t: from, u: until, this_s: toMilli(until - from) };
  });
  const kept = rows(run.kept).map(({ bar, from, until }) => ({
    ...bars[bar],
    t: from,
    u: until,
    this_s: toMilli(until - from),
  }));
  const reserved = rows(run.reserved).map((row) => ({
    t: row.from,
    u: row.until,
    y0: places[row.node].reserved + 0.1,
    y1: places[row.node].reserved + 0.9,
    job: phases[row.phase].job,
    phase: phases[row.phase].name,
    node: places[row.node].node,
    what: row.moved ? "reserved, moved from another node" : "reserved",
    length_s: toMilli(row.until - row.from),
  }));
  const events = run.node_events
    .filter((event) => event.event !== "registered")
    .map((event) => nodeEvent(event, places[event.node]));
  return {
    bars,
    waits: bars.flatMap((bar, i) => waitRows(bar, suspensions.get(i) ?? [])),
    begun: bars.filter(({ begun, u, started }) => begun > started && begun < u),
    suspended,
    kept,
    reserved,
    events,
    marks: bars.flatMap(markRows),
    ...faultMarks(run, places),
    edges: places.slice(1).map((band) => ({ edge: band.from - GAP / 2 })),
  };
}

/** Returns the parts of a reduce's wait in which it was not suspended. */
function waitRows(bar, suspended) {
  if (bar.waited === null) return [];
  const parts = [];
  let from = bar.started;
  for (const [begin, end] of [...suspended, [bar.waited, Infinity]]) {
    const until = Math.min(begin, bar.waited);
    if (until > from) parts.push({ ...bar, t: from, u: until });
    from = Math.max(from, end);
  }
  return parts;
}

function markRows(bar) {
  const y = (bar.y0 + bar.y1) / 2;
  const found = [];
  if (bar.attempt > 1) found.push({ ...bar, at: bar.t, y, mark: MARKS[3] });
  const end = { "OOM killed": MARKS[0], failed: MARKS[1], lost: MARKS[2] };
  if (end[bar.outcome]) found.push({ ...bar, at: bar.ended, y, mark: end[bar.outcome] });
  return found;
}

function nodeEvent(event, band) {
  const load = `load from outside: ${number(event.cores)} cores, ${number(gib(event.memory))} GiB`;
  return {
    t: event.t,
    y0: band.from,
    y1: band.until,
    node: band.node,
    what: event.event === "load" ? load : event.event,
    reason: event.reason,
  };
}
