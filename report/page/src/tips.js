// Tooltips. A field that may be unknown is a text, so null is left out and not shown as 0.
import { charts } from "./charts.js";

/** Returns the fields of a tooltip: [field, title, format]. A field with a format is a number that
 *  is always known. */
export function tips(...fields) {
  return fields.map(([field, title, format]) => ({
    field,
    title: title ?? field,
    type: format ? "quantitative" : "nominal",
    ...(format ? { format } : {}),
  }));
}

/** Formats a tooltip like vega-tooltip, but without unknown values. */
export function formatTooltip(value, sanitize, maxDepth, baseURL) {
  const isKnown = ([, text]) => text !== null && !["", "null", "undefined"].includes(String(text));
  const known =
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).filter(isKnown))
      : value;
  return charts().formatValue(known, sanitize, maxDepth, baseURL);
}

export const toMilli = (seconds) => Math.round(seconds * 1e3) / 1e3;
