// eslint is installed in a build directory, not beside this file.
import { createRequire } from "node:module";

const js = createRequire(process.argv[1])("@eslint/js");
const named = (words) => Object.fromEntries(words.split(" ").map((word) => [word, "readonly"]));

export default [
  js.configs.recommended,
  {
    files: ["src/**/*.js"],
    languageOptions: {
      globals: named(
        "console window document matchMedia getComputedStyle setTimeout clearTimeout setInterval clearInterval fetch Node ResizeObserver location history",
      ),
    },
  },
  {
    files: ["*.mjs", "test/**/*.mjs"],
    languageOptions: { globals: named("process console window document setTimeout URL") },
  },
];
