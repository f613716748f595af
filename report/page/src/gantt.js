// Gantt chart: containers over time, with a band for each node and a lane for each of its
// containers.
import { el, gib, number } from "./dom.js";
import { rows } from "./data.js";
import { faultLanes, faultLayers, faultMarks } from "./faults.js";
import { nominal } from "./look.js";
import { tips, toMilli } from "./tips.js";
import { TIME_ZOOM, timeAxis } from "./time.js";

const OUTCOMES = ["completed", "failed", "OOM killed", "killed", "lost", "not started", "running"];
const OUTCOME_WORDS = { oom_killed: "OOM killed", not_started: "not started" };
const KINDS = ["map", "reduce", "executor", "command", "am"];
const GAP = 0.6; // space between nodes, in lanes
const MANY = 5000; // from this number of bars on, bars have no borders

const MARKS = ["OOM kill", "failed", "lost", "second attempt or later"];
const OPTIONAL = ["marks", "lost", "faults", "strikes", "master"]; // drawn only if there are any
const SHAPES = ["cross", "diamond", "triangle-down", "triangle-right"];

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
      from: edge,
      reserved: edge + faults[i],
      first,
      until: first + Math.max(1, node.lanes),
    };
    edge = band.until + GAP;
    return band;
  });
}

/** Returns the rows of the chart: bars and what is drawn on them. */
export function ganttRows(run) {
  const places = bands(run);
  const phases = run.phases.map((phase) => ({ ...phase, job: run.summary.jobs[phase.job].name }));
  const bars = rows(run.bars).map((bar) => barRow(run, phases, places, bar));
  const suspended = rows(run.suspended).map(({ bar, from, until }) => ({
    ...bars[bar],
    t: from,
    u: until,
    suspended_s: toMilli(until - from),
  }));
  const reserved = rows(run.reserved).map((row) => ({
    t: row.from,
    u: row.until,
    y0: places[row.node].reserved + 0.1,
    y1: places[row.node].reserved + 0.9,
    job: phases[row.phase].job,
    phase: phases[row.phase].name,
    node: places[row.node].name,
    what: row.moved ? "reserved, moved from another node" : "reserved",
    length_s: toMilli(row.until - row.from),
  }));
  const events = run.node_events
    .filter((event) => event.event !== "registered")
    .map((event) => nodeEvent(event, places[event.node]));
  return {
    bars,
    suspended,
    reserved,
    events,
    marks: bars.flatMap(markRows),
    ...faultMarks(run, places),
    edges: edgeRows(places),
  };
}

function barRow(run, phases, places, bar) {
  const phase = phases[bar.phase];
  const band = places[bar.node];
  const lane = band.first + bar.lane;
  return {
    job: phase.job,
    phase: phase.name,
    kind: phase.kind,
    task: bar.count > 1 ? `${bar.count} tasks, drawn as one` : String(bar.task),
    attempt: bar.attempt,
    node: band.name,
    t: bar.from,
    u: bar.until,
    y0: lane + 0.06,
    y1: lane + 0.94,
    outcome: OUTCOME_WORDS[bar.outcome] ?? bar.outcome,
    whose: bar.oom,
    exit_code: bar.exit_code,
    length_s: toMilli(bar.until - bar.from),
    started: bar.started,
    begun: bar.begun,
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

function markRows(bar) {
  const y = (bar.y0 + bar.y1) / 2;
  const found = [];
  if (bar.attempt > 1) found.push({ ...bar, at: bar.t, y, mark: MARKS[3] });
  const end = { "OOM killed": MARKS[0], failed: MARKS[1], lost: MARKS[2] };
  if (end[bar.outcome]) found.push({ ...bar, at: bar.u, y, mark: end[bar.outcome] });
  return found;
}

function nodeEvent(event, band) {
  const load = `load from outside: ${number(event.cores)} cores, ${number(gib(event.memory))} GiB`;
  return {
    t: event.t,
    y0: band.from,
    y1: band.until,
    node: band.name,
    what: event.event === "load" ? load : event.event,
    reason: event.reason,
  };
}

const edgeRows = (places) => places.slice(1).map((band) => ({ edge: band.from - GAP / 2 }));

const TIP = tips(
  ["job"],
  ["phase"],
  ["kind"],
  ["task"],
  ["attempt"],
  ["node"],
  ["outcome"],
  ["whose", "whose memory limit"],
  ["exit_code", "exit code"],
  ["t", "decided at, s"],
  ["started", "started at, s"],
  ["begun", "inputs read at, s"],
  ["u", "until, s"],
  ["length_s", "length, s"],
  ["holds"],
  ["used"],
  ["launch_ms", "launch, ms"],
  ["locality"],
  ["why", "why there"],
  ["reason", "why it ended"],
);

function colour(by, jobs, colours) {
  const [blue, orange, green, purple, sky, red] = colours.palette;
  if (by === "job") {
    const legend = jobs.length <= colours.palette.length ? { title: "job" } : null;
    return { field: "job", type: "nominal", scale: nominal(jobs, colours), legend };
  }
  const scale =
    by === "outcome"
      ? { domain: OUTCOMES, range: [blue, orange, red, colours.muted, purple, purple, sky] }
      : { domain: KINDS, range: [blue, orange, green, purple, colours.muted] };
  return { field: by, type: "nominal", scale, legend: { title: by } };
}

/** Returns the layers, from back to front. */
function layers(run, places, jobs, marks, by, colours) {
  const total = places.length > 0 ? places[places.length - 1].until : 1;
  const middles = places.map((band) => (band.from + band.until) / 2);
  const x = timeAxis(run);
  const y = {
    field: "y0",
    type: "quantitative",
    title: null,
    scale: { domain: [0, total], reverse: true, nice: false },
    axis: {
      values: middles,
      labelExpr: "nodeNames[datum.value]",
      grid: false,
      ticks: false,
      labelOverlap: "parity",
    },
  };
  const span = { x, x2: { field: "u" }, y, y2: { field: "y1" } };
  const many = run.bars.phase?.length > MANY;
  const manyReserved = run.reserved.phase?.length > MANY / 5;
  const zoom = TIME_ZOOM;
  const mark = (type, more) => ({ type, clip: true, cursor: "pointer", ...more });
  const size = Math.max(16, Math.min(90, (height(places) / total) ** 2));
  const { lost, faults, strikes, master } = faultLayers(span, size, colours);
  return [
    {
      data: { name: "edges" },
      mark: { type: "rule", color: colours.grid },
      encoding: { y: { ...y, field: "edge" } },
    },
    lost,
    {
      data: { name: "bars" },
      params: [zoom],
      mark: mark("rect", many ? {} : { stroke: colours.background, strokeWidth: 0.5 }),
      encoding: { ...span, color: colour(by, jobs, colours), tooltip: TIP },
    },
    {
      data: { name: "suspended" },
      mark: mark("rect", { color: colours.background, opacity: 0.72 }),
      encoding: {
        ...span,
        tooltip: tips(
          ["suspended_s", "suspended for, s"],
          ["t", "suspended at, s"],
          ["u", "until, s"],
          ["job", "job"],
          ["phase", "phase"],
          ["task", "task"],
          ["node", "node"],
        ),
      },
    },
    {
      data: { name: "reserved" },
      mark: mark("rect", {
        fillOpacity: manyReserved ? 0.4 : 0.12,
        color: colours.text,
        ...(manyReserved ? {} : { stroke: colours.text, strokeDash: [3, 2] }),
      }),
      encoding: {
        ...span,
        tooltip: tips(
          ["what", "node is"],
          ["job", "for job"],
          ["phase", "phase"],
          ["node", "node"],
          ["t", "from, s"],
          ["u", "until, s"],
          ["length_s", "length, s"],
        ),
      },
    },
    faults,
    {
      data: { name: "events" },
      mark: mark("rule", { color: colours.bad, strokeWidth: 2 }),
      encoding: {
        x,
        y,
        y2: { field: "y1" },
        tooltip: tips(["node", "node"], ["what", "event"], ["reason", "reason"], ["t", "at, s"]),
      },
    },
    master,
    strikes,
    {
      data: { name: "marks" },
      mark: mark("point", {
        filled: true,
        opacity: 1,
        size,
        color: colours.text,
        stroke: colours.background,
        strokeWidth: 1,
      }),
      encoding: {
        x: { ...x, field: "at" },
        y: { ...y, field: "y" },
        shape: {
          field: "mark",
          type: "nominal",
          scale: { domain: marks, range: marks.map((mark) => SHAPES[MARKS.indexOf(mark)]) },
          legend: { title: "marks", symbolFillColor: colours.text },
        },
        tooltip: TIP,
      },
    },
  ];
}

function height(places) {
  const lanes = places.length > 0 ? places[places.length - 1].until : 1;
  return Math.max(140, Math.min(1000, Math.round(lanes * 11)));
}

/** Returns the chart; `redraw` draws it again. */
export function gantt(run, filter, redraw) {
  const all = ganttRows(run);
  const places = bands(run);
  const jobs = run.summary.jobs.map((job) => job.name);
  const state = { by: jobs.length > 1 ? "job" : "outcome" };
  const shown = (row) => filter.job(row.job) && filter.node(row.node);
  const select = el(
    "select",
    { id: "gantt-colour", onchange: (event) => ((state.by = event.target.value), redraw()) },
    ...["job", "outcome", "kind"].map((by) =>
      el("option", { value: by, selected: by === state.by }, by),
    ),
  );
  const marks = MARKS.filter((mark) => all.marks.some((row) => row.mark === mark));
  const ofNodes = ["lost", "faults", "strikes"].filter((name) => all[name].length > 0);
  const isDrawn = (name) => !OPTIONAL.includes(name) || all[name].length > 0;
  return {
    id: "gantt",
    title: "Containers by node",
    note: note(run, all),
    time: true,
    filtered: ["bars", "suspended", "reserved", ...ofNodes, ...(marks.length > 0 ? ["marks"] : [])],
    controls: el(
      "p",
      { class: "controls" },
      el("label", { for: "gantt-colour" }, "colour by "),
      select,
    ),
    data: () => ({
      edges: all.edges,
      events: all.events,
      master: all.master,
      ...Object.fromEntries(
        ofNodes.map((name) => [name, all[name].filter((row) => filter.node(row.node))]),
      ),
      bars: all.bars.filter(shown),
      suspended: all.suspended.filter(shown),
      reserved: all.reserved.filter(shown),
      marks: all.marks.filter(shown),
    }),
    spec: (colours) => ({
      height: height(places),
      params: [
        {
          name: "nodeNames",
          value: Object.fromEntries(
            places.map((band) => [(band.from + band.until) / 2, band.name]),
          ),
        },
      ],
      layer: layers(run, places, jobs, marks, state.by, colours).filter((layer) =>
        isDrawn(layer.data.name),
      ),
    }),
    pick: (datum, event) => {
      if (datum.job) filter.pick("jobs", datum.job, event.shiftKey);
      else if (datum.node && datum.node !== "master")
        filter.pick("nodes", datum.node, event.shiftKey);
    },
  };
}

function note(run, all) {
  const parts = ["Drag to move in time; Ctrl and wheel to zoom; double-click for all."];
  if (all.suspended.length > 0) parts.push("Pale: suspended.");
  if (all.reserved.length > 0) parts.push("Grey, above a node: it is reserved.");
  if (all.faults.length + all.strikes.length > 0)
    parts.push("Solid, above a node: a fault of the scenario; triangle: one that strikes once.");
  if (all.master.length > 0) parts.push("Broken line: the master was killed, or is back.");
  if (all.lost.length > 0) parts.push("Shaded: the node is lost.");
  if (run.bars.count?.some((count) => count > 1))
    parts.push("Containers of a phase that follow each other closely are drawn as one.");
  if (run.node_count > run.nodes.length)
    parts.push(`The first ${run.nodes.length} of ${run.node_count} nodes.`);
  return parts.join(" ");
}
