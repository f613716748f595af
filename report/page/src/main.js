// The report page: shows its data with the page of their kind.
import { comparisonPage } from "./comparison.js";
import { el } from "./dom.js";
import { makeFrame } from "./frame.js";
import { listPage } from "./list.js";
import { follow } from "./live.js";
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
  if (data.kind === "served") await follow(data.source, show, context.status);
  else await show(data);
}

begin().catch((error) => {
  const text = `The content of this page cannot be shown: ${error.message}`;
  root.append(el("p", { class: "warning", role: "alert" }, text));
  throw error;
});
