// Gantt chart of a run.
import { faultLayers } from "./faults.js";
import { MARKS, bands, byDevice, ganttRows } from "./gantt_rows.js";
import { hatched } from "./hatch.js";
import { tips } from "./tips.js";
import { TIME_ZOOM, timeAxis } from "./time.js";

const MANY = 5000; // from this number of bars on, bars have no borders
const SHAPES = ["cross", "diamond", "triangle-down", "triangle-right"];
const OF_JOBS = ["bars", "waits", "begun", "suspended", "kept", "reserved", "marks"];
const REST = ["edges", "names", "events", "master"];
const OF_NODES = ["lost", "faults", "strikes"];
const ALWAYS = ["edges", "bars", "names", "events"];
const LANE_PX = 11;
const NAME_PX = 12; // height of a node's name

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
  ["waited_s", "waited for inputs, s"],
  ["suspended_s", "suspended, s"],
  ["worked_s", "worked, s"],
  ["holds"],
  ["used"],
  ["launch_ms", "launch, ms"],
  ["locality"],
  ["why", "why there"],
  ["reason", "why it ended"],
);
// Layers over a bar have its times under other names.
const WAIT_TIP = TIP.filter(({ field }) => field !== "t" && field !== "u");

const SUSPENDED_TIP = tips(
  ["this_s", "suspended for, s"],
  ["t", "suspended at, s"],
  ["u", "until, s"],
  ["job"],
  ["phase"],
  ["task"],
  ["node"],
);
const KEPT_TIP = tips(
  ["this_s", "held after its end for, s"],
  ["t", "ended at, s"],
  ["u", "released at, s"],
  ["job"],
  ["phase"],
  ["task"],
  ["node"],
);
const RESERVED_TIP = tips(
  ["what", "node is"],
  ["job", "for job"],
  ["phase"],
  ["node"],
  ["t", "from, s"],
  ["u", "until, s"],
  ["length_s", "length, s"],
);

const lanesOf = (places) => (places.length > 0 ? places[places.length - 1].until : 1);

/** Returns the names of the nodes at their bands. If they are too narrow, names are left out. */
function nameRows(places, height) {
  const lane = height / lanesOf(places);
  let free = -Infinity;
  return places.flatMap((band) => {
    const y = (band.from + band.until) / 2;
    if (y * lane < free) return [];
    free = y * lane + NAME_PX;
    return [{ band: band.name, node: band.node, y }];
  });
}

/** Returns the layers, from back to front. */
function layers(run, all, { places, marks, colour, height, nameWidth, colours }) {
  const total = lanesOf(places);
  const x = timeAxis();
  const y = {
    field: "y0",
    type: "quantitative",
    title: null,
    scale: { domain: [0, total], reverse: true, nice: false },
    // Names of nodes are marks, so that they can be clicked. The axis only makes room for them.
    axis: {
      values: [0],
      labelExpr: "''",
      grid: false,
      ticks: false,
      minExtent: nameWidth,
      maxExtent: nameWidth,
    },
  };
  const span = { x, x2: { field: "u" }, y, y2: { field: "y1" } };
  const many = run.bars.phase?.length > MANY;
  const manyReserved = run.reserved.phase?.length > MANY / 5;
  const mark = (type, more) => ({ type, clip: true, cursor: "pointer", ...more });
  const size = Math.max(16, Math.min(90, (height / total) ** 2));
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
      params: [TIME_ZOOM],
      mark: mark("rect", many ? {} : { stroke: colours.background, strokeWidth: 0.5 }),
      encoding: { ...span, color: colour, tooltip: TIP },
    },
    {
      data: { name: "waits" },
      mark: mark("rect", { fill: hatched("waits", colours) }),
      encoding: { ...span, tooltip: WAIT_TIP },
    },
    {
      data: { name: "begun" },
      mark: mark("rule", { color: colours.background, strokeWidth: 1.5 }),
      encoding: { x: { ...x, field: "begun" }, y, y2: { field: "y1" }, tooltip: WAIT_TIP },
    },
    {
      data: { name: "suspended" },
      mark: mark("rect", { fill: hatched("suspended", colours) }),
      encoding: { ...span, tooltip: SUSPENDED_TIP },
    },
    {
      data: { name: "kept" },
      mark: mark("rect", { fill: colours.background, fillOpacity: 0.65 }),
      encoding: { ...span, tooltip: KEPT_TIP },
    },
    {
      data: { name: "reserved" },
      mark: mark("rect", {
        fillOpacity: manyReserved ? 0.4 : 0.12,
        color: colours.text,
        ...(manyReserved ? {} : { stroke: colours.text, strokeDash: [3, 2] }),
      }),
      encoding: { ...span, tooltip: RESERVED_TIP },
    },
    faults,
    {
      data: { name: "events" },
      mark: mark("rule", { color: colours.bad, strokeWidth: 2 }),
      encoding: {
        x,
        y,
        y2: { field: "y1" },
        tooltip: tips(["node"], ["what", "event"], ["reason"], ["t", "at, s"]),
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
    {
      data: { name: "names" },
      mark: {
        type: "text",
        clip: false,
        align: "right",
        limit: nameWidth - 8,
        fontSize: 11,
        cursor: "pointer",
        color: colours.text,
      },
      encoding: {
        x: { value: -7 },
        y: { ...y, field: "y" },
        text: { field: "band" },
        tooltip: tips(["node"]),
      },
    },
  ].filter(({ data: { name } }) => ALWAYS.includes(name) || all[name].length > 0);
}

/** Returns the charts of the devices of runs that have some. */
export const deviceGantts = (runs, context) =>
  charts(runs.map(byDevice).filter(Boolean), context, {
    id: "devices",
    title: "Containers by device",
    isFirst: false,
  });

/** Returns the Gantt charts of runs, one below the other, with the same axis of time. */
export const gantts = (runs, context) =>
  charts(runs, context, { id: "gantt", title: "Containers by node", isFirst: true });

/** `isFirst`: the charts are the first of the page, with the notes and the choice of colors. */
function charts(runs, context, { id, title, isFirst }) {
  const longest = Math.max(...runs.flatMap((run) => run.nodes.map((node) => node.name.length)), 2);
  const nameWidth = Math.min(130, 7 * longest + 12);
  const shown = runs.filter((run) => run.piece || run.bars.phase?.length > 0);
  const most = shown.length > 1 ? 420 : 1000;
  const alone = shown.length === 1;
  const drawn = shown.map((run, i) =>
    gantt(run, context, {
      id: i === 0 ? id : `${id}-${i + 1}`,
      title: alone ? title : run.label,
      alone,
      isFirst: isFirst && i === 0,
      nameWidth,
      most,
    }),
  );
  // All charts share the keys above the first one.
  const keys = new Map(drawn.flatMap((chart) => chart.keys).map((key) => [key[0], key]));
  drawn.forEach((chart, i) => (chart.keys = i === 0 ? [...keys.values()] : []));
  return drawn;
}

function gantt(run, { filter, panel, colouring }, { id, title, alone, isFirst, nameWidth, most }) {
  const places = bands(run);
  const all = ganttRows(run, places);
  const height = Math.max(alone ? 140 : 70, Math.min(most, Math.round(lanesOf(places) * LANE_PX)));
  all.names = nameRows(places, height);
  const ofJob = (row) => filter.job(row.job) && filter.node(row.node);
  const marks = MARKS.filter((mark) => all.marks.some((row) => row.mark === mark));
  const part = (names, isShown) =>
    Object.fromEntries(names.map((name) => [name, all[name].filter(isShown)]));
  const drawn = (names) => names.filter((name) => ALWAYS.includes(name) || all[name].length > 0);
  return {
    id,
    title,
    untitled: alone,
    zoomless: !isFirst,
    note: note(run, all, isFirst),
    keys: keys(all),
    time: true,
    filtered: drawn([...OF_JOBS, ...OF_NODES]),
    stays: true,
    controls: controls(run, isFirst ? colouring.control : null),
    data: () => ({
      ...part(drawn(REST), () => true),
      ...part(drawn(OF_NODES), (row) => filter.node(row.node)),
      ...part(drawn(OF_JOBS), ofJob),
    }),
    spec: (colours) => {
      const legend = isFirst ? { title: colouring.by } : null;
      const scale = colouring.scale(colours);
      const colour = { field: colouring.by, type: "nominal", scale, legend };
      return {
        height,
        layer: layers(run, all, { places, marks, colour, height, nameWidth, colours }),
      };
    },
    pick: (datum, event) => {
      if (datum.job) panel.pickJob(run.label, datum.job, event.shiftKey);
      else if (datum.node && datum.node !== "master")
        panel.pickNode(run.label, datum.node, event.shiftKey);
    },
  };
}

/** Returns the controls of a chart: the colors, and for a large run the nodes that are shown. */
function controls(run, colours) {
  if (!run.piece) return colours;
  if (colours && colours.parentNode !== run.piece.controls) run.piece.controls.prepend(colours);
  return run.piece.controls;
}

function keys(all) {
  return [
    all.waits.length > 0 && ["waits", "a reduce holds its container and waits for its inputs"],
    all.suspended.length > 0 && ["suspended", "suspended"],
    all.kept.length > 0 && ["kept", "ended, but held until its job ends"],
    all.reserved.length > 0 && ["reserved", "above a node: reserved"],
    all.faults.length + all.strikes.length > 0 && [
      "fault",
      "above a node: a fault of the scenario; triangle: at one instant",
    ],
    all.lost.length > 0 && ["lost", "the node is lost"],
    all.master.length > 0 && ["master", "the master was killed, or is back"],
  ].filter(Boolean);
}

function note(run, all, isFirst) {
  const parts = [];
  if (isFirst)
    parts.push(
      "A click on a container or on a node's name shows its details. Drag to move in time; Ctrl and wheel to zoom; double-click for all.",
    );
  if (all.begun.length > 0 && isFirst)
    parts.push("A line across a bar: the task had read its inputs and began to work.");
  if (run.bars.count?.some((count) => count > 1))
    parts.push("Containers of a phase that follow each other closely are drawn as one.");
  if (run.node_count > run.nodes.length && !run.piece)
    parts.push(`The first ${run.nodes.length} of ${run.node_count} nodes.`);
  return parts.join(" ");
}
