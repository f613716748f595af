// The report page: shows its data with the page of their kind.
import { charts } from "./charts.js";
import { comparisonPage } from "./comparison.js";
import { el } from "./dom.js";
import { makeFrame } from "./frame.js";
import { listPage } from "./list.js";
import { follow, isOfRuns } from "./live.js";
import { runsPage } from "./runs.js";
import { sweepPage } from "./sweep.js";

/** Pages by the kind of their data. A page is a function of the frame's context. It returns a
 *  function that shows data, and that shows newer data when it is called again. */
const PAGES = { runs: runsPage, compare: comparisonPage, sweep: sweepPage, list: listPage };

const root = document.getElementById("page");
const context = makeFrame(root);
let shown = null; // {kind, show}

async function show(data) {
  if (!PAGES[data.kind]) throw new Error(`it is of the unknown kind "${data.kind}"`);
  if (shown?.kind !== data.kind) shown = { kind: data.kind, show: PAGES[data.kind](context) };
  await shown.show(data);
  // Tells tests that everything is drawn, and gives them access to it.
  window.heddle = { board: context.board, filter: context.filter };
  document.documentElement.dataset.ready = "true";
}

async function begin() {
  const data = JSON.parse(document.getElementById("data").textContent);
  if (data.kind !== "served") return show(data);
  const following = follow(data.source, show, context.status);
  if (isOfRuns(data.source)) setTimeout(charts); // while the server makes the data
  return following;
}

begin().catch((error) => {
  const text = `The content of this page cannot be shown: ${error.message}`;
  root.append(el("p", { class: "warning", role: "alert" }, text));
  throw error;
});
