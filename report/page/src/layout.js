// Sections of the page. A section is {id, title, before, charts, after}: elements, charts and
// elements below them. The page can be shown again with other data: sections, charts and elements
// that are still there stay where they are, so scrolling, zoom and open details do not change.
import { el } from "./dom.js";

export class Layout {
  constructor(root, board) {
    this.root = root;
    this.board = board;
    this.places = new Map();
  }

  /** Makes these the sections of the page, without those that have nothing to show, and draws their
   *  charts. */
  show(sections) {
    const shown = sections.filter(
      ({ before = [], charts = [], after = [] }) => before.length + charts.length + after.length,
    );
    const ids = new Set(shown.map(({ id }) => id));
    for (const [id, place] of this.places) if (!ids.has(id)) this.remove(id, place);
    shown.forEach((section, i) => {
      const place = this.placeOf(section);
      fill(place.before, section.before ?? []);
      this.board.place(place.charts, section.charts ?? []);
      fill(place.after, section.after ?? []);
      if (this.root.children[i] !== place.section)
        this.root.insertBefore(place.section, this.root.children[i] ?? null);
    });
    return this.board.drawAll();
  }

  placeOf({ id, title }) {
    if (!this.places.has(id)) {
      const [before, charts, after] = [el("div"), el("div", { class: "charts" }), el("div")];
      const heading = title ? el("h2", { id: `${id}-title` }, title) : null;
      const named = title ? { "aria-labelledby": `${id}-title` } : {};
      const section = el(
        title ? "section" : "header",
        { id, ...named },
        heading,
        before,
        charts,
        after,
      );
      this.places.set(id, { section, heading, before, charts, after });
    }
    const place = this.places.get(id);
    if (title) place.heading.textContent = title;
    return place;
  }

  remove(id, place) {
    this.board.place(place.charts, []);
    place.section.remove();
    this.places.delete(id);
  }
}

/** Makes these elements the children of a holder. Open details stay open, and what is scrolled stays
 *  scrolled. */
export function fill(holder, nodes) {
  const same =
    nodes.length === holder.children.length &&
    nodes.every((node, i) => node === holder.children[i]);
  if (same) return;
  const open = [...holder.querySelectorAll("details")].map((details) => details.open);
  const scrolled = [...holder.querySelectorAll(".scroll")].map((part) => [
    part.scrollLeft,
    part.scrollTop,
  ]);
  holder.replaceChildren(...nodes);
  holder
    .querySelectorAll("details")
    .forEach((details, i) => (details.open = open[i] ?? details.open));
  holder.querySelectorAll(".scroll").forEach((part, i) => {
    if (scrolled[i]) [part.scrollLeft, part.scrollTop] = scrolled[i];
  });
}
