// Tooltips. Fields that may not be known are texts: what is null is then left out, not shown as 0.
import { formatValue } from "vega-tooltip";

/** Fields of a tooltip: [field, title, format]; with a format it is a number that is always known. */
export function tips(...fields) {
  return fields.map(([field, title, format]) => ({
    field,
    title: title ?? field,
    type: format ? "quantitative" : "nominal",
    ...(format ? { format } : {}),
  }));
}

/** For vega-tooltip: as it would, but without what is not known. */
export function formatTooltip(value, sanitize, maxDepth, baseURL) {
  const isKnown = ([, text]) => text !== null && !["", "null", "undefined"].includes(String(text));
  const known =
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).filter(isKnown))
      : value;
  return formatValue(known, sanitize, maxDepth, baseURL);
}

export const toMilli = (seconds) => Math.round(seconds * 1e3) / 1e3;
