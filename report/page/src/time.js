// Common parts of charts over time, so that they show the same span and move together.

/** Returns the axis of a run's whole time. */
export const timeAxis = (run) => ({
  field: "t",
  type: "quantitative",
  title: "time, emulated s",
  scale: { domain: [0, Math.max(run.end_s, 1e-3)], nice: false },
});

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
