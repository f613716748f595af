// Uses the list page of `heddle serve` in headless Chromium and prints what it finds, as JSON:
//   node list_page.mjs PACKAGES URL
// PACKAGES is the directory that has node_modules. The server has the results one, two and
// dress-fig1, and at least one running run.
import { createRequire } from "node:module";
import path from "node:path";

const [packages, url] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(packages), "package.json"))(
  "playwright-core",
);
const LIMIT = { timeout: 60000 };

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage();
const errors = [];
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
page.on("pageerror", (error) => errors.push(String(error)));
page.on("response", (reply) => reply.status() >= 400 && errors.push(`${reply.status()}`));

const names = () => page.locator("#results-table tbody th").allInnerTexts();
const ready = () =>
  page.waitForFunction(() => document.documentElement.dataset.ready === "true", null, LIMIT);

try {
  await page.goto(url);
  await page.waitForSelector("#running-list progress", LIMIT);
  const facts = { address: new URL(page.url()).search, all: (await names()).length };
  await page.fill("#results input[type=search]", "DRESS fifo");
  facts.filtered = await names();
  await page.fill("#results input[type=search]", "");
  await page.click("th[data-key=makespan_s] button");
  facts.shortest = (await names())[0];
  for (const name of ["one", "two"]) await page.check(`input[aria-label$="/${name}"]`);
  await page.click("#open");
  await ready();
  facts.compared = await page.evaluate(() => document.title);
  facts.runs = new URL(page.url()).searchParams.getAll("run");
  await page.goto(new URL("/", url).href); // the cookie suffices
  await page.waitForSelector("#running-list progress", LIMIT);
  await page.click("#running-list p[data-run] a[href$=live]");
  await ready();
  await page.waitForFunction(
    () => document.getElementById("live").textContent.startsWith("running"),
    null,
    LIMIT,
  );
  console.log(JSON.stringify({ ...facts, errors }));
} finally {
  await browser.close();
}
