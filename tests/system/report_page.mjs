// Opens a report page in headless Chromium and prints what is on it, as JSON:
//   node report_page.mjs PACKAGES PAGE [SHOTS]
// PACKAGES is the directory that has node_modules. If SHOTS is given, a PNG of each chart and of
// the whole page goes to that directory, light and dark, 1000 and 1600 pixels wide.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [packages, file, shots] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(packages), "package.json"))(
  "playwright-core",
);
const WIDTH = 1200;

/** In the page: how many things each chart draws, axes and legends not counted. */
function marks() {
  const count = (mark) => {
    if (!/^(mark|scope|frame)/.test(mark.role ?? "mark")) return 0;
    if (mark.marktype !== "group") return mark.items.length;
    return mark.items.reduce(
      (sum, group) => sum + group.items.reduce((n, m) => n + count(m), 0),
      0,
    );
  };
  const drawn = window.heddle.board.charts.map(({ chart, view }) => [
    chart.id,
    view ? count(view.scenegraph().root) : 0,
  ]);
  return Object.fromEntries(drawn);
}

/** In the page: all that a chart draws of faults, and of nodes that are lost. */
function faults(id) {
  const view = window.heddle.board.charts.find(({ chart }) => chart.id === id)?.view;
  const found = [];
  const look = (mark) => {
    for (const item of mark.items ?? []) {
      const { what, node, t, until } = item.datum ?? {};
      if (mark.marktype === "group") item.items.forEach(look);
      else if (until !== undefined) found.push(`${what} ${node} ${t}-${until ?? ""}`);
    }
  };
  if (view) look(view.scenegraph().root);
  return found.sort();
}

/** In the page: where a chart draws the first thing that has one of these fields, and its value. */
function firstWith({ id, fields }) {
  const entry = window.heddle.board.charts.find(({ chart }) => chart.id === id);
  if (!entry?.view) return null;
  const value = (item) => fields.map((field) => item.datum?.[field]).find((of) => of !== undefined);
  const find = (mark) => {
    for (const item of mark.items) {
      if (mark.marktype === "group") {
        for (const inner of item.items) {
          const found = find(inner);
          if (found) return found;
        }
      } else if (mark.marktype === "rect" && item.width > 3 && value(item) !== undefined)
        return item;
    }
    return null;
  };
  const item = find(entry.view.scenegraph().root);
  if (!item) return null;
  const canvas = entry.place.querySelector("canvas");
  const padding = entry.view.padding();
  const left = entry.view.origin()[0] + padding.left;
  const top = entry.view.origin()[1] + padding.top;
  window.scrollTo(0, 0);
  window.scrollTo(0, canvas.getBoundingClientRect().top + top + item.y - window.innerHeight / 2);
  const box = canvas.getBoundingClientRect();
  return {
    value: value(item),
    x: box.left + left + item.x + item.width / 2,
    y: box.top + top + item.y + item.height / 2,
  };
}

const ready = (page) =>
  page.waitForSelector("html[data-ready]", {
    timeout: 120_000,
    state: "attached",
  });
const settled = (page) => page.evaluate(() => window.heddle.board.work);

async function clickFilters(page, id) {
  const all = await page.evaluate(marks);
  const place = await page.evaluate(firstWith, { id, fields: ["job", "name"] });
  if (!place) return null;
  await page.mouse.click(place.x, place.y);
  await settled(page);
  const jobs = await page.evaluate(() => [...window.heddle.filter.jobs]);
  const some = await page.evaluate(marks);
  const rows = await page.locator("#jobs-table tbody tr").count();
  if (jobs.length === 0) return { hit: false, place };
  await page.click("#clear");
  await settled(page);
  const again = await page.evaluate(marks);
  return {
    hit: jobs.length === 1 && jobs[0] === place.value,
    rows,
    fewer: some[id] < all[id],
    restored: JSON.stringify(again) === JSON.stringify(all),
  };
}

/** What the tooltip of the first fault in the chart of containers says. */
async function faultTooltip(page) {
  const place = await page.evaluate(firstWith, { id: "gantt", fields: ["lane"] });
  if (!place) return [];
  await page.mouse.move(place.x, place.y);
  await page.waitForSelector("#vg-tooltip-element.visible", { timeout: 5_000 });
  const cells = await page.locator("#vg-tooltip-element td").allTextContents();
  await page.mouse.move(0, 0);
  return cells;
}

const backgrounds = (page) =>
  page.evaluate(() => [
    getComputedStyle(document.body).backgroundColor,
    ...new Set(window.heddle.board.charts.map(({ view }) => view.background())),
  ]);

/** The range of time that all charts of time show after zooming in once, and what can be saved. */
async function zoomAndSave(page) {
  const ranges = () =>
    page.evaluate(() => [
      ...new Set(
        window.heddle.board.charts
          .filter(({ chart, view }) => chart.time && view)
          .map(({ view }) => JSON.stringify(view.scale("x").domain())),
      ),
    ]);
  const all = await ranges();
  if (all.length === 0) return null;
  await page.locator(".zoom button").first().click();
  await page.waitForTimeout(500);
  const some = await ranges();
  await page.locator(".zoom button").last().click();
  await page.waitForTimeout(500);
  const menu = page.locator("#chart-gantt");
  await menu.locator("summary").click();
  const saved = [];
  for (const link of await menu.locator(".vega-actions a").all()) {
    const download = page.waitForEvent("download", { timeout: 20_000 });
    await link.click();
    saved.push((await download).suggestedFilename());
  }
  await menu.locator("summary").click();
  return {
    together: some.length === 1 && some[0] !== all[0],
    back: (await ranges())[0] === all[0],
    saved,
  };
}

async function shoot(page) {
  await page.addStyleTag({ content: ".tools { position: static !important }" });
  for (const width of [1000, 1600])
    for (const scheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForTimeout(600);
      await settled(page);
      await page.screenshot({
        path: path.join(shots, `page-${width}-${scheme}.png`),
        fullPage: true,
      });
      if (width === 1600)
        for (const chart of await page.locator("figure").all())
          await chart.screenshot({
            path: path.join(
              shots,
              `${await chart.locator(".chart").getAttribute("id")}-${scheme}.png`,
            ),
          });
    }
}

async function look(page, facts) {
  const start = Date.now();
  await page.goto(pathToFileURL(path.resolve(file)).href);
  await ready(page);
  facts.ready_ms = Date.now() - start;
  facts.title = await page.title();
  facts.heading = await page.locator("h1").allTextContents();
  facts.sections = await page.locator("h2").allTextContents();
  facts.warnings = await page.locator(".warning").allTextContents();
  facts.marks = await page.evaluate(marks);
  facts.faults = await page.evaluate(faults, "gantt");
  facts.node_faults = await page.evaluate(faults, "nodes-cores");
  facts.cluster_faults = await page.evaluate(faults, "cluster-cores");
  facts.fault_tooltip = await faultTooltip(page);
  facts.overflow = await page.evaluate(
    () => document.documentElement.scrollWidth > window.innerWidth,
  );
  facts.click = {
    gantt: await clickFilters(page, "gantt"),
    jobs: await clickFilters(page, "jobs"),
  };
  facts.time = await zoomAndSave(page);
  facts.light = await backgrounds(page);
  await page.click("#theme");
  await settled(page);
  facts.dark = await backgrounds(page);
  facts.cells = await page.locator("td").allTextContents();
  await page.click("#theme");
  await settled(page);
  if (shots) await shoot(page);
}

const profile = mkdtempSync(path.join(tmpdir(), "heddle-chromium-"));
const facts = { errors: [], requests: [] };
const context = await chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium",
  headless: true,
  viewport: { width: WIDTH, height: 900 },
  colorScheme: "light",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
try {
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) facts.errors.push(message.text());
  });
  page.on("pageerror", (error) => facts.errors.push(String(error)));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) facts.requests.push(request.url());
  });
  await look(page, facts);
} catch (error) {
  facts.errors.push(String(error));
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(JSON.stringify(facts));
