// Serves a report page and data that change, opens the page in headless Chromium, and prints what
// the page does, as JSON:
//   node report_live.mjs PACKAGES PAGE [SHOTS]
// PAGE is a page of one run without a server. The server gives its data as those of a live run that
// goes on and ends. If SHOTS is given, pictures of the page go to that directory.
import { createServer } from "node:http";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const [packages, file, shots] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(packages), "package.json"))(
  "playwright-core",
);

const html = readFileSync(file, "utf8");
const begin = html.indexOf('id="data">') + 'id="data">'.length;
const end = html.indexOf("</script>", begin);
const whole = JSON.parse(html.slice(begin, end));
const SOURCE = "/api/data?run=one";
const served = { schema: 1, kind: "served", source: SOURCE };
const shell =
  html.slice(0, begin).replace("default-src 'none';", "default-src 'none'; connect-src 'self';") +
  JSON.stringify(served) +
  html.slice(end);

/** The data as they are at a part of the run's time. */
function at(part) {
  const data = structuredClone(whole);
  const [run] = data.runs;
  const until = run.end_s * part;
  const kept = run.bars.from.map((from) => from < until);
  for (const name of Object.keys(run.bars))
    run.bars[name] = run.bars[name].filter((_, i) => kept[i]);
  run.bars.until = run.bars.until.map((time) => Math.min(time, until));
  run.end_s = until;
  run.summary.status = null;
  run.summary.jobs.forEach((job) => (job.state = job.finish_s < until ? "completed" : "running"));
  run.events = [
    { t: until, text: `something at ${part}` },
    { t: 0, text: "the cluster is complete" },
  ];
  delete run.why;
  return { ...data, live: true, why_url: "/api/why?run=one&job=" };
}

const whyOf = (job) => ({
  note: null,
  stretches: [{ from_s: 1, until_s: 3.5, phase: "map", in_words: `${job} waits for room` }],
  causes: [{ cause: "no room", s: 2.5 }],
});

const state = { data: at(0.5), tag: '"1"', broken: false, asked: 0, unchanged: 0 };
const set = (data, tag) => Object.assign(state, { data, tag, broken: false });

const server = createServer((request, reply) => {
  const url = new URL(request.url, "http://localhost");
  const json = (value, headers = {}) => {
    reply.writeHead(200, { "Content-Type": "application/json", ...headers });
    reply.end(JSON.stringify(value));
  };
  if (url.pathname === "/") return reply.end(shell);
  if (url.pathname === "/api/why") return json(whyOf(url.searchParams.get("job")));
  if (url.pathname === "/api/progress") return json([]);
  if (url.pathname !== "/api/data") return reply.writeHead(404).end();
  ++state.asked;
  if (state.broken) return reply.writeHead(503).end();
  if (request.headers["if-none-match"] === state.tag) {
    ++state.unchanged;
    return reply.writeHead(304, { ETag: state.tag }).end();
  }
  json(state.data, { ETag: state.tag });
});

/** Waits until `test` holds. */
async function until(test) {
  for (let i = 0; i < 600; ++i) {
    if (await test()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

const statusOf = (page) => page.locator("#live").textContent();

/** In the page: all that an update must keep. */
const kept = (page) =>
  page.evaluate(() => ({
    chips: [...document.querySelectorAll(".chips button")].map((chip) => chip.textContent),
    range: window.heddle.board.range,
    panel: document.getElementById("panel-title").textContent,
    open: !document.getElementById("panel").hidden,
    details: document.querySelector("#summary details").open,
    scroll: Math.round(window.scrollY),
    canvas: document.querySelector("#chart-gantt canvas").dataset.mark ?? "drawn again",
  }));

/** In the page: end of the axes, number of bars and of rows of the table, and the newest event. */
const shown = (page) =>
  page.evaluate(() => {
    const { view } = window.heddle.board.charts.find(({ chart }) => chart.id === "gantt");
    return {
      end_s: view.signal("end_s"),
      bars: view.data("bars").length,
      rows: document.querySelectorAll("#jobs-table tbody tr").length,
      event: document.querySelector(".events li")?.lastChild.textContent ?? null,
      heading: document.querySelector("h1").textContent,
    };
  });

const settled = (page) => page.evaluate(() => window.heddle.board.work);

async function shoot(page, name) {
  if (shots) await page.screenshot({ path: path.join(shots, `${name}.png`) });
}

async function watch(page, facts) {
  const { port } = server.address();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForSelector("html[data-ready]", { timeout: 120_000, state: "attached" });
  await until(async () => (await statusOf(page)).startsWith("running"));
  facts.first = { ...(await shown(page)), status: (await statusOf(page)).replace(/\d.*/, "") };
  await shoot(page, "live");

  const job = page.locator("#jobs-table tbody tr").first();
  facts.job = await job.getAttribute("data-job");
  await job.locator("button").click();
  await page.waitForSelector("#panel td");
  facts.why = await page.locator("#panel .body > div:first-child td").allTextContents();
  await page.locator(".zoom button").first().click();
  await page.evaluate(() => {
    document.querySelector("#summary details").open = true;
    document.querySelector("#chart-gantt canvas").dataset.mark = "same";
    window.scrollTo(0, 600);
  });
  await settled(page);
  const before = await kept(page);
  await until(() => state.unchanged > 0);
  facts.not_modified = state.unchanged > 0;
  facts.range = before.range !== null;
  set(at(0.75), '"2"');
  await until(async () => (await shown(page)).end_s > facts.first.end_s);
  await settled(page);
  facts.kept = JSON.stringify(await kept(page)) === JSON.stringify(before);
  facts.before = before;
  facts.after = await kept(page);
  await shoot(page, "live-panel");
  await page.click("#clear");
  await page.locator(".zoom button").last().click();
  await settled(page);
  facts.second = await shown(page);

  state.broken = true;
  await until(async () => (await statusOf(page)).includes("trying again"));
  facts.broken = await statusOf(page);
  await shoot(page, "live-broken");

  set({ ...whole, why_url: "/api/why?run=one&job=" }, '"3"');
  await until(async () => (await statusOf(page)).startsWith("ended"));
  await settled(page);
  facts.last = await shown(page);
  const asked = state.asked;
  await page.waitForTimeout(2500);
  facts.asked_after_end = state.asked - asked;
  await shoot(page, "live-ended");
}

const profile = mkdtempSync(path.join(tmpdir(), "heddle-chromium-"));
const facts = { errors: [] };
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium",
  headless: true,
  viewport: { width: 1200, height: 900 },
  colorScheme: "light",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
});
try {
  const page = await context.newPage();
  page.on("console", (message) => {
    // Chromium itself reports the answer 503.
    if (["error", "warning"].includes(message.type()) && !message.text().includes("503"))
      facts.errors.push(message.text());
  });
  page.on("pageerror", (error) => facts.errors.push(String(error)));
  await watch(page, facts);
} catch (error) {
  facts.errors.push(String(error));
} finally {
  await context.close();
  server.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(JSON.stringify(facts));
