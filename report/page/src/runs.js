// Page of one run, or of several side by side.
import { el } from "./dom.js";
import { deviceGantts, gantts } from "./gantt.js";
import { head } from "./head.js";
import { jobCharts } from "./jobs.js";
import { JobsTable } from "./jobs_table.js";
import { efficiencyCharts, latencyCharts, latencyTable } from "./latency.js";
import { environment, figures, policies } from "./overview.js";
import { Pieces } from "./pieces.js";
import { policyCharts } from "./policy.js";
import { usageCharts } from "./usage.js";

/** Choice of the run that is shown in detail. */
class RunChoice {
  constructor(changed) {
    this.select = el("select", { id: "run", onchange: changed });
    this.element = el(
      "p",
      { class: "controls", id: "run-choice" },
      el("label", { for: "run" }, "In detail below: "),
      this.select,
    );
  }
  update(runs) {
    const kept = this.select.value;
    this.select.replaceChildren(
      ...runs.map((run) => el("option", { value: run.label }, run.label)),
    );
    if (runs.some((run) => run.label === kept)) this.select.value = kept;
  }
  of(runs) {
    return runs.find((run) => run.label === this.select.value) ?? runs[0];
  }
}

/** The last events of a live run, the newest first. */
function events(runs) {
  const list = ({ events }) =>
    el(
      "ol",
      { class: "events" },
      ...events.map(({ t, text }) =>
        el("li", {}, el("span", { class: "number" }, `${t.toFixed(1)} s`), text),
      ),
    );
  return runs
    .filter((run) => run.events)
    .flatMap((run) => [...(runs.length > 1 ? [el("h3", {}, run.label)] : []), list(run)]);
}

/** Returns a function that shows runs, and shows newer data of them when it is called again. */
export function runsPage(context) {
  const jobs = new JobsTable(context);
  let data = null;
  const choice = new RunChoice(() => show());
  const pieces = new Pieces(context.board, () => show());

  function show() {
    const { runs } = data;
    const drawn = runs.map((run) => pieces.of(run));
    context.take(drawn, data.why_url);
    const run = choice.of(runs);
    const several = runs.length > 1;
    return context.layout.show([
      { id: "head", before: head(runs, data.live === true) },
      { id: "containers", title: "Containers by node", charts: gantts(drawn, context) },
      { id: "devices", title: "Containers by device", charts: deviceGantts(drawn, context) },
      { id: "events", title: "Last events", before: events(runs) },
      { id: "jobs", title: "Jobs", charts: jobCharts(runs, context) },
      {
        id: "usage",
        title: "Allocated and used",
        before: several ? [choice.element] : [],
        charts: usageCharts(run, context),
      },
      { id: "policy", title: "The policy's state", charts: policyCharts(run, context) },
      { id: "efficiency", title: "Allocation efficiency", charts: efficiencyCharts(run) },
      { id: "latency", title: "Latencies", charts: latencyCharts(run) },
      { id: "job-list", title: "All jobs", after: [jobs.element] },
      {
        id: "summary",
        title: "All figures",
        after: [figures(runs, data.figures), policies(runs)].filter(Boolean),
      },
      { id: "latency-list", title: "Real times", after: [latencyTable(runs)].filter(Boolean) },
      { id: "environment", title: "Environment", after: [environment(runs)] },
    ]);
  }

  return (newest) => {
    data = newest;
    const { runs } = data;
    document.title = `Heddle: ${runs[0].summary.scenario}`;
    context.take(runs, data.why_url);
    choice.update(runs);
    jobs.update(runs);
    return show();
  };
}
