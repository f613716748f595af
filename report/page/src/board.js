// All charts of the page. Draws them one after the other. If only the data of a chart changed, the
// chart gets the new data; it is drawn again only when its form changed, such as its colors.
//
// A chart is {id, title, note, keys, spec(colours, width), data(filter), pick(datum, event),
// filtered, time, wide, half, controls}. spec() is Vega-Lite without data, and data() returns rows
// by the names in the spec.
// `filtered`: names of the data that depend on the filter. If there are no such data, the chart is
// hidden, unless it `stays`.
// `time`: x is a field t, and its selection is called zoom and shared by all charts of time.
// `untitled`: the title is not shown; `zoomless`: another chart of time has the buttons to zoom.
// `wide`: spec() needs the width, so the chart is drawn again when the width changes.
// `keys`: [class, text] of what patterns in the chart mean.
import { charts } from "./charts.js";
import { el } from "./dom.js";
import { hatch } from "./hatch.js";
import { config, look } from "./look.js";
import { END } from "./time.js";
import { formatTooltip } from "./tips.js";

const ZOOM = "zoom_t";
const CONTAINED = { width: "container" };
const DRAG_PX = 4; // a click that moves further is a drag

export class Board {
  constructor(filter) {
    this.filter = filter;
    this.theme = "light";
    this.charts = [];
    this.work = Promise.resolve();
    this.range = null;
    this.end = 1; // of all axes of time
    this.ranges = []; // functions that get the range of time that is shown, or null for all
    filter.listeners.push(() => this.refilter());
  }

  /** Runs tasks one after the other; errors go to the console. */
  later(task) {
    this.work = this.work.then(task).catch((error) => console.error(error));
    return this.work;
  }

  /** Makes these the charts in `holder`. Charts that are there already keep their place; drawAll()
   *  draws the others. */
  place(holder, charts) {
    const before = this.charts.filter((entry) => entry.holder === holder);
    const ids = new Set(charts.map((chart) => chart.id));
    for (const entry of before) if (!ids.has(entry.chart.id)) this.remove(entry);
    charts.forEach((chart, i) => {
      let entry = before.find((one) => one.chart.id === chart.id);
      if (!entry) {
        entry = newEntry(holder, chart, chart.time && !chart.zoomless ? this.zoomControls() : null);
        this.charts.push(entry);
      }
      entry.chart = chart;
      entry.stale = "all";
      describe(entry);
      if (holder.children[i] !== entry.figure)
        holder.insertBefore(entry.figure, holder.children[i] ?? null);
    });
  }

  remove(entry) {
    entry.view?.finalize();
    entry.figure.remove();
    this.charts = this.charts.filter((one) => one !== entry);
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

  /** Draws all charts that are new or changed. */
  drawAll() {
    return this.later(async () => {
      for (const entry of [...this.charts])
        if (this.charts.includes(entry))
          await this.bring(entry).catch((error) => console.error(entry.chart.id, error));
    });
  }

  refilter() {
    for (const entry of this.charts) if (entry.chart.filtered) entry.stale ??= "filtered";
    this.drawAll();
  }

  /** Brings one chart up to date. */
  async bring(entry) {
    const { chart, figure, holder } = entry;
    const colours = look(this.theme);
    const width = figure.hidden ? holder.clientWidth : entry.place.clientWidth;
    const spec = { ...(chart.wide ? {} : CONTAINED), ...chart.spec(colours, width) };
    const form = this.theme + JSON.stringify(spec);
    if (entry.view && entry.form === form && !entry.stale) return;
    const data = chart.data(this.filter);
    figure.hidden = !chart.stays && hasNothing(chart, data);
    if (figure.hidden) return;
    if (entry.view && entry.form === form) {
      const names = entry.stale === "all" ? Object.keys(data) : chart.filtered;
      for (const name of names) entry.view.data(name, data[name]);
      await entry.view.signal(END, this.end).runAsync();
    } else {
      await this.draw(entry, { ...spec, datasets: data }, colours);
      entry.form = form;
    }
    entry.stale = null;
  }

  async draw(entry, spec, colours) {
    const { chart, place } = entry;
    const fresh = el("div", { class: "chart fresh" });
    place.append(fresh);
    const { view } = await charts().embed(
      fresh,
      {
        $schema: "https://vega.github.io/schema/vega-lite/v6.json",
        description: `${chart.title}. ${chart.note ?? ""}`,
        ...spec,
        params: [...(spec.params ?? []), { name: END, value: this.end }],
      },
      {
        actions: { export: true, source: false, compiled: false, editor: false },
        config: config(colours),
        downloadFileName: `heddle-${chart.id}`,
        expressionFunctions: { hatch },
        mode: "vega-lite",
        logLevel: 1, // errors only: vega-lite warns of heights that depend on the number of bars
        renderer: "canvas",
        tooltip: { theme: colours.name, formatTooltip },
      },
    );
    entry.view?.finalize();
    entry.view = view;
    for (const old of [...place.children]) if (old !== fresh) old.remove();
    fresh.classList.remove("fresh");
    if (chart.pick) view.addEventListener("click", (event, item) => picked(entry, event, item));
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
    for (const listener of this.ranges) listener(this.range);
    for (const { chart, view } of this.charts)
      if (chart.time && view && view !== from) view.signal(ZOOM, this.range).runAsync();
  }

  move(change) {
    const entry = this.charts.find(({ chart, view }) => chart.time && view);
    if (entry) this.show(change(this.range ?? entry.view.scale("x").domain()));
  }
}

const hasNothing = ({ filtered }, data) =>
  filtered?.length > 0 && filtered.every((name) => data[name].length === 0);

function newEntry(holder, chart, zoom) {
  const caption = el("figcaption");
  const place = el("div", { class: "place", id: `chart-${chart.id}` });
  const controls = el("div", { class: "above" }, zoom);
  const figure = el("figure", {}, caption, controls, place);
  const entry = { chart, holder, figure, caption, controls, place, view: null, stale: "all" };
  place.addEventListener(
    "pointerdown",
    ({ clientX, clientY }) => (entry.down = [clientX, clientY]),
    true,
  );
  return entry;
}

/** Writes what stands above a chart. */
function describe({ chart, figure, caption, controls }) {
  figure.setAttribute("aria-label", chart.title);
  figure.classList.toggle("half", chart.half === true);
  caption.replaceChildren(
    chart.untitled ? "" : el("h3", {}, chart.title),
    chart.note ? el("p", {}, chart.note) : "",
    chart.keys?.length ? el("p", { class: "keys" }, ...chart.keys.map(key)) : "",
  );
  if (chart.controls && chart.controls.parentNode !== controls) controls.append(chart.controls);
}

const key = ([name, text]) =>
  el("span", {}, el("span", { class: `key ${name}`, "aria-hidden": "true" }), text);

function picked({ chart, down }, event, item) {
  const isDrag = down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > DRAG_PX;
  if (item?.datum && !isDrag) chart.pick(item.datum, event);
}
