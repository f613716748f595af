// The list page of `heddle serve`: the runs that are going on, and all results below the
// directories. An experiment is shown as a list of its comparisons.
import { el, scrollable, toText } from "./dom.js";

const COLUMNS = [
  ["name", "result"],
  ["kind", "kind"],
  ["scenario", "scenario"],
  ["policy", "policy"],
  ["mode", "mode"],
  ["state", "state"],
  ["written_s", "written"],
  ["real_s", "took, s"],
  ["makespan_s", "makespan, s"],
  ["bytes", "size, MiB"],
];

const address = (ids) => `/run?${ids.map((id) => `run=${encodeURIComponent(id)}`).join("&")}`;

/** Returns the time as 2026-01-31 23:59:59. */
function date(seconds) {
  const when = new Date(seconds * 1000);
  const two = (value) => String(value).padStart(2, "0");
  const day = [when.getFullYear(), two(when.getMonth() + 1), two(when.getDate())].join("-");
  return `${day} ${[when.getHours(), when.getMinutes(), when.getSeconds()].map(two).join(":")}`;
}

/** Returns a remaining real time: "40 s", "12 min", "3.5 h". */
export function duration(seconds) {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Returns a cell's text. */
function shown(key, value) {
  if (value === null || value === undefined) return toText(value);
  if (key === "written_s") return date(value);
  if (key === "bytes") return (value / 2 ** 20).toFixed(1);
  return typeof value === "number" ? value.toFixed(1) : toText(value);
}

/** Orders values; unknown ones come last. */
export function order(a, b) {
  const unknown = (value) => value === null || value === undefined || value === "";
  if (unknown(a) || unknown(b)) return unknown(a) - unknown(b);
  return typeof a === "number"
    ? a - b
    : String(a).localeCompare(String(b), "en", { numeric: true });
}

/** Returns the results that have all words of `text` in their name, scenario or policy, and the
 *  state, if one is chosen. */
export function matching(results, text, state) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return results.filter((result) => {
    const all = `${result.name} ${result.scenario ?? ""} ${result.policy}`.toLowerCase();
    return (!state || result.state === state) && words.every((word) => all.includes(word));
  });
}

/** Returns the directory that has all these paths, with "/" at its end, or "". */
export function commonDirectory(paths) {
  if (paths.length === 0) return "";
  const [first] = paths;
  let length = first.lastIndexOf("/") + 1;
  while (length > 0 && !paths.every((path) => path.startsWith(first.slice(0, length))))
    length = first.lastIndexOf("/", length - 2) + 1;
  return first.slice(0, length);
}

/** Shows the runs that are going on. */
class Running {
  constructor() {
    this.place = el("div", { id: "running-list" });
  }

  update(runs) {
    this.place.replaceChildren(...runs.map((run) => this.row(run)));
  }

  row(run) {
    const name = run.scenario ? `${run.scenario}, ${run.policy}` : run.run;
    const link = el("a", { href: address([run.id]) }, name);
    if (run.work === undefined) return el("p", { class: "run" }, link, " starts");
    const left = run.left_s === null ? "" : `, about ${duration(run.left_s)} left`;
    const text =
      `${run.tasks_done} of ${run.tasks} tasks and ${run.jobs_done} of ${run.jobs} jobs done, ` +
      `${run.containers} containers, ${run.now_s.toFixed(1)} s emulated${left}`;
    return el(
      "p",
      { class: "run", "data-run": run.run },
      link,
      el("progress", { max: 1, value: run.work, "aria-label": `work of ${name} that is done` }),
      el("span", { class: "muted" }, text),
    );
  }
}

/** The table of results. It keeps its filter, its order and the picked results when the results
 *  change. */
class Results {
  constructor() {
    this.results = [];
    this.directory = ""; // of all results; their names are shown without it
    this.picked = new Set();
    this.key = "written_s";
    this.down = true;
    this.body = el("tbody");
    this.count = el("span", { class: "muted", role: "status" });
    this.search = el("input", {
      type: "search",
      placeholder: "filter by name, scenario, policy",
      "aria-label": "show results whose name, scenario or policy contains",
      oninput: () => this.fill(),
    });
    this.state = el("select", { "aria-label": "state", onchange: () => this.fill() });
    this.open = el(
      "button",
      { type: "button", id: "open", onclick: () => location.assign(address([...this.picked])) },
      "open",
    );
    this.heads = COLUMNS.map(([key, title]) =>
      el(
        "th",
        { scope: "col", "data-key": key },
        el("button", { type: "button", onclick: () => this.sortBy(key) }, title),
      ),
    );
    const head = el("tr", {}, el("th", { scope: "col" }, "pick"), ...this.heads);
    this.controls = el("p", { class: "controls" }, this.search, this.state, this.open, this.count);
    const table = el("table", { id: "results-table" }, el("thead", {}, head), this.body);
    this.table = scrollable(table);
  }

  update(results) {
    this.results = results.map((result) => ({ ...result, policy: result.policies.join(", ") }));
    this.directory = commonDirectory(results.map((result) => result.name));
    const ids = new Set(results.map((result) => result.id));
    this.picked = new Set([...this.picked].filter((id) => ids.has(id)));
    const chosen = this.state.value;
    const states = [...new Set(results.map((result) => result.state))].sort();
    this.state.replaceChildren(
      el("option", { value: "" }, "any state"),
      ...states.map((state) => el("option", { selected: state === chosen }, state)),
    );
    this.fill();
  }

  sortBy(key) {
    this.down = this.key === key ? !this.down : key === "written_s";
    this.key = key;
    this.fill();
  }

  fill() {
    const kept = matching(this.results, this.search.value, this.state.value);
    kept.sort((a, b) => order(a[this.key], b[this.key]) * (this.down ? -1 : 1));
    this.body.replaceChildren(...kept.map((result) => this.row(result)));
    for (const head of this.heads) {
      if (head.dataset.key === this.key)
        head.setAttribute("aria-sort", this.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    this.count.textContent = `${kept.length} of ${this.results.length} shown`;
    this.tellPicked();
  }

  tellPicked() {
    this.open.textContent = `compare ${this.picked.size} picked`;
    this.open.disabled = this.picked.size === 0;
  }

  link({ id, name }) {
    return el("a", { href: address([id]), title: name }, name.slice(this.directory.length));
  }

  row(result) {
    // A comparison or sweep is a page of its own. Only runs can be compared on one page.
    const box = el("input", {
      type: "checkbox",
      checked: this.picked.has(result.id),
      "aria-label": `pick ${result.name}`,
      onchange: (event) => {
        if (event.target.checked) this.picked.add(result.id);
        else this.picked.delete(result.id);
        this.tellPicked();
      },
    });
    const cells = COLUMNS.map(([key]) =>
      key === "name"
        ? el("th", { scope: "row" }, this.link(result))
        : el(
            "td",
            { class: typeof result[key] === "number" ? "number" : null },
            shown(key, result[key]) + disturbance(key, result) + doubt(key, result),
          ),
    );
    const bad = ["failed", "aborted", "damaged"].includes(result.state);
    return el(
      "tr",
      { class: bad ? "failed" : null },
      el("td", {}, result.kind === "run" ? box : null),
      ...cells,
    );
  }
}

/** Says whether other programs changed the times of the result. */
function disturbance(key, { disturbance: word }) {
  return key === "state" && word && word !== "clean" ? `, ${word}` : "";
}

/** Says if the files of the result are not those that its manifest lists. */
function doubt(key, result) {
  const doubted =
    key === "state" && result.verified === false && !["running", "damaged"].includes(result.state);
  return doubted ? " (unverified)" : "";
}

/** Returns a function that shows a list. */
export function listPage(context) {
  // The cookie has the token now. Without the token in it, the address can be shown to others.
  if (location.search.includes("token=")) history.replaceState(null, "", location.pathname);
  const running = new Running();
  const results = new Results();
  let before = "";
  return (data) => {
    running.update(data.running ?? []);
    const text = JSON.stringify(data.results);
    if (text !== before) results.update(data.results);
    before = text;
    const warning = (problem) => el("p", { class: "warning" }, problem);
    document.title = `Heddle: ${data.title ?? "results"}`;
    return context.layout.show([
      {
        id: "head",
        before: [el("h1", {}, data.title ?? "Heddle"), ...(data.problems ?? []).map(warning)],
      },
      { id: "running", title: "Running", before: data.running?.length ? [running.place] : [] },
      {
        id: "results",
        title: results.directory
          ? `Results in ${results.directory.slice(0, -1) || "/"}`
          : "Results",
        before: [results.controls, results.table],
      },
    ]);
  };
}
