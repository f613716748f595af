// What charts over time share, so that they show the same span and move together.

/** The axis of a run's time, over all of it. */
export const timeAxis = (run) => ({
  field: "t",
  type: "quantitative",
  title: "time, emulated s",
  scale: { domain: [0, Math.max(run.end_s, 1e-3)], nice: false },
});

/** Dragging moves; the wheel alone scrolls the page. */
export const TIME_ZOOM = {
  name: "zoom",
  select: {
    type: "interval",
    encodings: ["x"],
    zoom: "wheel![event.ctrlKey || event.altKey || event.metaKey]",
  },
  bind: "scales",
};
