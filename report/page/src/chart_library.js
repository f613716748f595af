// The library that draws charts: a script of its own in the page, which charts.js runs.
import embed from "vega-embed";
import { formatValue } from "vega-tooltip";

window.heddleCharts = { embed, formatValue };
