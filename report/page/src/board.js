// All charts of the page. Draws them one after the other, and again when the filter, the colors or
// the width change.
//
// A chart is {id, title, note, spec(colours, width), data(filter), pick(datum, event), time, wide,
// controls}. spec() is Vega-Lite without data, and data() returns rows by the names in the spec.
// `time`: x is a field t, and its selection is called zoom and shared by all charts of time.
// `wide`: the chart shows nodes, needs its width, and is drawn again when the nodes or the width
// change.
import embed from "vega-embed";

import { el } from "./dom.js";
import { config, look } from "./look.js";
import { formatTooltip } from "./tips.js";

const ZOOM = "zoom_t";
const CONTAINED = { width: "container" };

export class Board {
  constructor(filter) {
    this.filter = filter;
    this.theme = "light";
    this.charts = [];
    this.work = Promise.resolve();
    this.range = null;
    filter.listeners.push(() => this.later(() => this.refresh()));
  }

  /** Runs tasks one after the other; errors go to the console. */
  later(task) {
    this.work = this.work.then(task).catch((error) => console.error(error));
    return this.work;
  }

  /** Adds a chart and returns its element; the chart is drawn later. */
  add(chart) {
    const place = el("div", { class: "chart", id: `chart-${chart.id}` });
    const figure = el(
      "figure",
      { "aria-label": chart.title, class: chart.half ? "half" : null },
      el("figcaption", {}, el("h3", {}, chart.title), chart.note ? el("p", {}, chart.note) : null),
      chart.time ? this.zoomControls() : null,
      chart.controls ?? null,
      place,
    );
    this.charts.push({ chart, place, view: null });
    return figure;
  }

  zoomControls() {
    const button = (label, title, change) =>
      el(
        "button",
        { type: "button", title, "aria-label": title, onclick: () => this.move(change) },
        label,
      );
    return el(
      "div",
      { class: "zoom", role: "group", "aria-label": "time shown" },
      button("+", "zoom in", ([a, b]) => [a + (b - a) / 4, b - (b - a) / 4]),
      button("−", "zoom out", ([a, b]) => [a - (b - a) / 2, b + (b - a) / 2]),
      button("◀", "earlier", ([a, b]) => [a - (b - a) / 4, b - (b - a) / 4]),
      button("▶", "later", ([a, b]) => [a + (b - a) / 4, b + (b - a) / 4]),
      button("all", "the whole run", () => null),
    );
  }

  /** Forgets these charts; the caller removes their elements. */
  drop(which) {
    for (const { chart, view } of this.charts) if (which(chart)) view?.finalize();
    this.charts = this.charts.filter(({ chart }) => !which(chart));
  }

  drawAll(which = () => true) {
    const drawn = this.charts.filter((entry) => which(entry.chart));
    return this.later(async () => {
      for (const entry of drawn)
        if (this.charts.includes(entry))
          await this.draw(entry).catch((error) => console.error(entry.chart.id, error));
    });
  }

  async draw(entry) {
    const { chart, place } = entry;
    const colours = look(this.theme);
    const data = chart.data(this.filter);
    const spec = {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      description: `${chart.title}. ${chart.note ?? ""}`,
      ...(chart.wide ? {} : CONTAINED),
      ...chart.spec(colours, place.clientWidth),
      datasets: data,
    };
    entry.view?.finalize();
    const { view } = await embed(place, spec, {
      actions: { export: true, source: false, compiled: false, editor: false },
      config: config(colours),
      downloadFileName: `heddle-${chart.id}`,
      mode: "vega-lite",
      logLevel: 1, // errors only: vega-lite warns of heights that depend on the number of bars
      renderer: "canvas",
      tooltip: { theme: colours.name, formatTooltip },
    });
    entry.view = view;
    entry.nodes = nodesOf(this.filter);
    if (chart.pick) view.addEventListener("click", (event, item) => picked(chart, event, item));
    if (chart.time) await this.follow(view);
  }

  /** Makes all charts of time show the same range. */
  async follow(view) {
    if (this.range) await view.signal(ZOOM, this.range).runAsync();
    view.addSignalListener(ZOOM, (_, range) => this.show(range, view));
  }

  show(range, from = null) {
    const same = JSON.stringify(range ?? null) === JSON.stringify(this.range);
    if (same) return;
    this.range = range ?? null;
    for (const { chart, view } of this.charts)
      if (chart.time && view && view !== from) view.signal(ZOOM, this.range).runAsync();
  }

  move(change) {
    const entry = this.charts.find(({ chart, view }) => chart.time && view);
    if (entry) this.show(change(this.range ?? entry.view.scale("x").domain()));
  }

  async refresh() {
    for (const entry of this.charts) {
      const { chart, view } = entry;
      if (!view || !chart.filtered) continue;
      if (chart.wide) {
        if (entry.nodes !== nodesOf(this.filter)) await this.draw(entry);
        continue;
      }
      const data = chart.data(this.filter);
      for (const name of chart.filtered) view.data(name, data[name]);
      await view.runAsync();
    }
  }
}

const nodesOf = (filter) => [...filter.nodes].join();

function picked(chart, event, item) {
  if (item?.datum) chart.pick(item.datum, event);
}
