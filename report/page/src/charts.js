// Runs the script that draws charts (chart_library.js) when it is needed for the first time. It is
// an element of the page that the browser does not run, because it takes longer than all of the
// page's own script.

let library = null;

/** Returns the library: {embed, formatValue}. */
export function charts() {
  if (library) return library;
  const script = document.createElement("script");
  script.textContent = document.getElementById("chart-library").textContent;
  document.head.append(script);
  library = window.heddleCharts;
  return library;
}
