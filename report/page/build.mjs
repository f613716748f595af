// Makes the report page without its data: node build.mjs OUT, in the directory with node_modules.
import { createRequire } from "node:module";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const packages = path.join(process.cwd(), "node_modules");
const esbuild = createRequire(path.join(process.cwd(), "package.json"))("esbuild");

/** Returns a file of src/ with all that it imports, and the names of the packages in it. */
async function bundle(file) {
  const result = await esbuild.build({
    entryPoints: [path.join(here, "src", file)],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2020",
    charset: "ascii",
    legalComments: "inline",
    nodePaths: [packages],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  const names = Object.keys(result.metafile.inputs)
    .map((file) => file.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1])
    .filter(Boolean);
  const script = result.outputFiles[0].text;
  if (/<(\/script|!--)/i.test(script))
    throw new Error(`the bundle of ${file} has HTML's marks in it`);
  return { script, names: [...new Set(names)].sort() };
}

/** Returns the licenses of the packages: each text once, after the names of the packages that have
 *  it. */
function notices(names) {
  const byText = new Map();
  for (const name of names) {
    const dir = path.join(packages, name);
    const about = JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"));
    const file = readdirSync(dir).find((entry) => /^licen[cs]e/i.test(entry));
    const author = about.author?.name ?? about.author ?? "its authors";
    const text = file
      ? readFileSync(path.join(dir, file), "utf8").trim()
      : `${about.license}, by ${author}`;
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${about.version}`]);
  }
  return [...byText].map(([text, users]) => `${users.join(", ")}\n\n${text}`).join("\n\n\n");
}

const escapeHtml = (text) =>
  text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

/** Replaces the marks with the parts. Functions as replacements keep `$` literal. */
function assemble(parts) {
  let page = readFileSync(path.join(here, "src/page.html"), "utf8");
  for (const [mark, text] of Object.entries(parts)) {
    if (!page.includes(mark)) throw new Error(`page.html has no ${mark}`);
    page = page.replace(mark, () => text);
  }
  return page;
}

const page = await bundle("main.js");
const library = await bundle("chart_library.js");
const style = await esbuild.transform(readFileSync(path.join(here, "src/page.css"), "utf8"), {
  loader: "css",
  minify: true,
});
writeFileSync(
  process.argv[2],
  assemble({
    "/* style */": style.code,
    "<!-- notices -->": escapeHtml(notices([...page.names, ...library.names])),
    "/* chart library */": library.script,
    "/* script */": page.script,
  }),
);
