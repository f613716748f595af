// Common parts of charts over time, so that they show the same span and move together.

/** Name of the parameter of all charts that is the end of their time. */
export const END = "end_s";

/** Returns the axis of the whole time. */
export const timeAxis = () => ({
  field: "t",
  type: "quantitative",
  title: "time, emulated s",
  scale: { domain: [0, { expr: END }], nice: false },
});

/** Returns the end of the time of these runs. */
export const endOf = (runs) => Math.max(1e-3, ...runs.map((run) => run.end_s));

/** Dragging moves the chart; the wheel without a key scrolls the page. */
export const TIME_ZOOM = {
  name: "zoom",
  select: {
    type: "interval",
    encodings: ["x"],
    zoom: "wheel![event.ctrlKey || event.altKey || event.metaKey]",
  },
  bind: "scales",
};
