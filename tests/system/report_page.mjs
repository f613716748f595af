// Opens a report page in headless Chromium and prints what is on it, as JSON:
//   node report_page.mjs PACKAGES PAGE [DO [SHOTS]]
// PACKAGES is the directory that has node_modules. DO says what to try on the page: some of click,
// panels, table, time and themes, separated by commas (default: all). If SHOTS is given, a PNG of
// each chart and of the whole page goes to that directory, light and dark, 800 and 1400 pixels wide.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [packages, file, wanted = "click,panels,table,time,themes", shots] = process.argv.slice(2);
const tries = (what) => wanted.split(",").includes(what);
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

/** What the panels of the first job in the table and of the first node show. */
async function panels(page) {
  const row = page.locator("#jobs-table tbody tr").first();
  if ((await row.count()) === 0 || (await page.locator("#chart-gantt").count()) === 0) return null;
  const cells = () => page.locator("#panel .body > div:first-child td").allTextContents();
  const texts = () => page.locator("#panel p").allTextContents();
  const title = () => page.locator("#panel-title").textContent();
  const rows = () => page.locator("#panel table.tasks tbody tr").count();
  await row.locator("td").first().click();
  await settled(page);
  const found = { job: [await title(), await rows()], why: await cells(), texts: await texts() };
  await page.keyboard.press("Escape");
  found.closed = await page.locator("#panel").isHidden();
  await page.click("#clear");
  const name = await page.evaluate(firstName);
  await page.mouse.click(name.x, name.y);
  await settled(page);
  found.node = [await title(), await rows()];
  await page.click("#clear");
  await settled(page);
  found.closed &&= await page.locator("#panel").isHidden();
  return found;
}

/** In the page: where the chart of containers has the name of the first node. */
function firstName() {
  const { view, place } = window.heddle.board.charts.find(({ chart }) => chart.id === "gantt");
  const find = (mark) => {
    for (const item of mark.items) {
      const found =
        mark.marktype === "group" ? item.items.map(find).find(Boolean) : item.datum?.band && item;
      if (found) return found;
    }
    return null;
  };
  const item = find(view.scenegraph().root);
  window.scrollTo(0, 0);
  const canvas = place.querySelector("canvas");
  window.scrollTo(0, canvas.getBoundingClientRect().top - 200);
  const box = canvas.getBoundingClientRect();
  return {
    x: box.left + view.origin()[0] + view.padding().left + item.x - 3,
    y: box.top + view.origin()[1] + view.padding().top + item.y,
  };
}

/** In the page: how the charts of containers lie: where their time begins and ends, in pixels of the
 *  window, and in seconds. */
function axes() {
  return window.heddle.board.charts
    .filter(({ chart, view }) => chart.id.startsWith("gantt") && view)
    .map(({ view, place }) => {
      const left = place.querySelector("canvas").getBoundingClientRect().left;
      const from = left + view.origin()[0] + view.padding().left;
      return [from, from + view.signal("width"), ...view.scale("x").domain()].map(Math.round);
    });
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

/** Whether the table of jobs says in a narrow window that it goes on, and its first column stays. */
async function narrowTable(page) {
  const table = page.locator("#jobs-table");
  if ((await table.count()) === 0) return null;
  await page.setViewportSize({ width: 500, height: 900 });
  const frame = page.locator(".frame:has(#jobs-table)");
  const isMore = (side) =>
    frame.evaluate((el, name) => el.classList.contains(name), `more-${side}`);
  await page.waitForTimeout(300);
  const first = [await isMore("left"), await isMore("right")];
  const left = () =>
    table
      .locator("tbody th")
      .first()
      .evaluate((el) => el.getBoundingClientRect().left);
  const before = await left();
  await frame.locator(".scroll").evaluate((el) => (el.scrollLeft = el.scrollWidth));
  await page.waitForTimeout(300);
  const found = {
    first,
    last: [await isMore("left"), await isMore("right")],
    stays: before === (await left()),
  };
  await page.setViewportSize({ width: WIDTH, height: 900 });
  await page.waitForTimeout(400);
  await settled(page);
  return found;
}

const backgrounds = (page) =>
  page.evaluate(() => [
    getComputedStyle(document.body).backgroundColor,
    ...new Set(
      window.heddle.board.charts.filter(({ view }) => view).map(({ view }) => view.background()),
    ),
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
  for (const width of [800, 1400])
    for (const scheme of ["light", "dark"]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForTimeout(600);
      await settled(page);
      await page.screenshot({
        path: path.join(shots, `page-${width}-${scheme}.png`),
        fullPage: true,
      });
      if (width === 1400)
        for (const chart of await page.locator("figure:visible").all())
          await chart.screenshot({
            path: path.join(
              shots,
              `${await chart.locator(".place").getAttribute("id")}-${scheme}.png`,
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
  facts.facts = await page.locator(".facts div").allTextContents();
  facts.tiles = await page.locator(".tiles dd").allTextContents();
  facts.colour = await page.evaluate(() => document.getElementById("gantt-colour")?.value ?? null);
  facts.keys = await page.locator(".keys > span").allTextContents();
  facts.axes = await page.evaluate(axes);
  facts.notes = await page.locator("figcaption p").allTextContents();
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
  if (tries("click"))
    facts.click = {
      gantt: await clickFilters(page, "gantt"),
      jobs: await clickFilters(page, "jobs"),
    };
  if (tries("panels")) facts.panels = await panels(page);
  if (tries("table")) facts.table = await narrowTable(page);
  if (tries("time")) facts.time = await zoomAndSave(page);
  facts.light = await backgrounds(page);
  facts.cells = await page.locator("td").allTextContents();
  facts.rows = await page.locator("tbody th").allTextContents();
  if (tries("themes")) {
    await page.click("#theme");
    await settled(page);
    facts.dark = await backgrounds(page);
    await page.click("#theme");
    await settled(page);
  }
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
