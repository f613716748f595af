// Containers of large runs. A server gives them in pieces: some nodes, in the time that is shown.
import { el } from "./dom.js";

const LANES = 240; // shown at once
const WAIT_MS = 150; // after the last change of what is shown
const EMPTY = {
  nodes: [],
  bars: {},
  strings: [],
  suspended: {},
  kept: {},
  reserved: {},
  node_events: [],
  faults: [],
};

/** The piece of one run that is shown, and the controls by which it is chosen. */
class Piece {
  constructor(run, changed) {
    this.run = run;
    this.changed = changed;
    this.first = 0;
    this.range = null;
    this.data = EMPTY;
    this.asked = "";
    this.slider = el("input", {
      type: "range",
      min: 0,
      step: 1,
      "aria-label": "first node shown",
      oninput: () => this.move(Number(this.slider.value)),
    });
    this.label = el("span", { class: "number" });
    const step = (text, title, pages) =>
      el(
        "button",
        {
          type: "button",
          title,
          "aria-label": title,
          onclick: () => this.move(this.first + pages * this.count),
        },
        text,
      );
    this.controls = el(
      "div",
      { class: "pieces", role: "group", "aria-label": "nodes shown" },
      step("▲", "nodes before", -1),
      this.slider,
      step("▼", "nodes after", 1),
      this.label,
    );
    this.update(run);
  }

  update(run) {
    this.run = run;
    const lanes = Math.max(1, ...run.nodes.map((node) => node.lanes));
    this.count = Math.min(run.node_count, Math.max(1, Math.floor(LANES / lanes)));
    this.slider.max = run.node_count - this.count;
    this.slider.value = this.first;
    this.say();
    this.ask();
  }

  say() {
    const last = Math.min(this.first + this.count, this.run.node_count);
    this.label.textContent = `nodes ${this.first + 1} to ${last} of ${this.run.node_count}`;
  }

  move(first) {
    this.first = Math.max(0, Math.min(first, this.run.node_count - this.count));
    this.slider.value = this.first;
    this.say();
    this.later();
  }

  zoom(range) {
    this.range = range;
    this.later();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), WAIT_MS);
  }

  async ask() {
    const [from, until] = this.range ?? [0, this.run.end_s];
    const window = `&first_node=${this.first}&nodes=${this.count}&from=${from}&until=${until}`;
    const url = this.run.gantt_url + window;
    if (url === this.asked) return;
    this.asked = url;
    const reply = await fetch(url, { credentials: "same-origin" }).catch(() => null);
    if (url !== this.asked) return; // something else is shown by now
    if (!reply?.ok) {
      this.asked = "";
      this.label.textContent = "the server does not answer; move to try again";
      return;
    }
    this.data = await reply.json();
    if (url === this.asked) this.changed();
  }
}

/** The pieces of all large runs on the page. */
export class Pieces {
  constructor(board, changed) {
    this.changed = changed;
    this.of_run = new Map(); // by URL
    board.ranges.push((range) => this.of_run.forEach((piece) => piece.zoom(range)));
  }

  /** Returns the run with the containers that are shown, or the run itself if it has them all. */
  of(run) {
    if (!run.gantt_url) return run;
    let piece = this.of_run.get(run.gantt_url);
    if (!piece) {
      piece = new Piece(run, this.changed);
      this.of_run.set(run.gantt_url, piece);
    } else if (piece.run !== run) {
      piece.update(run);
    }
    return { ...run, ...piece.data, piece };
  }
}
