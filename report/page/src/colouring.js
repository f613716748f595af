// Choice of what the colors of containers and jobs stand for.
import { jobRows } from "./data.js";
import { el } from "./dom.js";

const MOST = 8; // as many colors as the palette has
const GROUPS = ["queue", "class", "user", "framework"];
const KINDS = ["map", "reduce", "executor", "command", "am"];
const OUTCOMES = ["completed", "failed", "OOM killed", "killed", "lost", "not started", "running"];

const OUTCOME_WORDS = { oom_killed: "OOM killed", not_started: "not started" };

/** Returns the word for people of a container's outcome. */
export const outcomeWord = (outcome) => OUTCOME_WORDS[outcome] ?? outcome;

const distinct = (values) => [...new Set(values.filter((value) => (value ?? null) !== null))];

export class Colouring {
  constructor() {
    this.chosen = null;
    this.listeners = [];
    this.select = el("select", {
      id: "gantt-colour",
      onchange: () => this.choose(this.select.value),
    });
    this.control = el(
      "p",
      { class: "controls" },
      el("label", { for: "gantt-colour" }, "color by "),
      this.select,
    );
  }

  choose(by) {
    this.chosen = by;
    for (const listener of this.listeners) listener();
  }

  /** Finds what the jobs of these runs can be colored by. */
  update(runs) {
    const jobs = runs.flatMap(jobRows);
    const values = { job: distinct(jobs.map((job) => job.name)) };
    for (const group of GROUPS) values[group] = distinct(jobs.map((job) => job[group]));
    const usable = (by) => values[by].length >= 2 && values[by].length <= MOST;
    const kinds = distinct(runs.flatMap((run) => run.phases.map((phase) => phase.kind)));
    const outcomes = distinct(runs.flatMap((run) => run.bars.outcome ?? [])).map(outcomeWord);
    const present = (all, some) => all.filter((word) => some.includes(word));
    this.values = { ...values, outcome: present(OUTCOMES, outcomes), kind: present(KINDS, kinds) };
    this.options = [...["job", ...GROUPS].filter(usable), "kind", "outcome"];
    this.first = this.options[0] === "kind" && kinds.length < 2 ? "outcome" : this.options[0];
    const offered = [...this.select.options].map((option) => option.value);
    if (offered.join() === this.options.join()) return;
    this.select.replaceChildren(
      ...this.options.map((by) => el("option", { value: by, selected: by === this.by }, by)),
    );
  }

  get by() {
    return this.options.includes(this.chosen) ? this.chosen : this.first;
  }

  /** Returns domain and range of the color scale. */
  scale(colours) {
    const domain = this.values[this.by];
    const [blue, orange, green, purple, sky, red] = colours.palette;
    const only = (all, range) => domain.map((word) => range[all.indexOf(word)]);
    if (this.by === "outcome") {
      const range = [blue, orange, red, colours.muted, purple, purple, sky];
      return { domain, range: only(OUTCOMES, range) };
    }
    if (this.by === "kind")
      return { domain, range: only(KINDS, [blue, orange, green, purple, colours.muted]) };
    return { domain, range: colours.palette.slice(0, domain.length) };
  }

  /** Returns the place of a job's color in the palette, or null if jobs have no color. */
  placeOf(job) {
    if (this.by === "outcome" || this.by === "kind") return null;
    const place = this.values[this.by].indexOf(this.by === "job" ? job.name : job[this.by]);
    return place < 0 ? null : place;
  }
}
