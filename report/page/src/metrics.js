// Common parts of the pages of comparisons and sweeps.
import { decimal, decimals, el, number } from "./dom.js";

export const slug = (text) => text.replace(/[^a-z0-9]+/gi, "-");

const UNITS = { us: "µs", share: "%" };
export const unitOf = ({ unit }) => UNITS[unit] ?? unit ?? "";
export const withUnit = (metric) =>
  unitOf(metric) ? `${metric.title}, ${unitOf(metric)}` : metric.title;

/** Returns a value in the metric's unit: shares in percent. */
export const scaled = (metric, value) =>
  value === null || value === undefined ? null : metric.unit === "share" ? value * 100 : value;

/** Returns the decimals for a metric's values that stand below each other: those that number()
 *  gives the largest, but at most two if that is at least 1. `all`: what spread() gets. */
export function decimalsOf(metric, all) {
  const values = all
    .flatMap(({ median, low, high }) => [median, low, high])
    .filter((value) => value !== null && value !== undefined);
  const largest = Math.max(0, ...values.map((value) => Math.abs(scaled(metric, value))));
  if (values.every(Number.isInteger)) return 0;
  return largest >= 1 ? Math.min(decimals(largest), 2) : decimals(largest);
}

/** Returns "median (low–high)" of a metric's values. */
export function spread(metric, { median, low, high }, digits) {
  if (median === null || median === undefined) return "–";
  const figure = (value) =>
    value === null || value === undefined ? "–" : decimal(scaled(metric, value), digits);
  return low === high && low === median
    ? figure(median)
    : `${figure(median)} (${figure(low)}–${figure(high)})`;
}

/** Returns the metrics that differ between their groups of values, each with the titles of the
 *  others that have the same values. `valuesOf(metric)` are a metric's values. */
export function distinct(metrics, valuesOf) {
  const found = new Map();
  for (const metric of metrics) {
    const values = valuesOf(metric);
    if (new Set(values.flat()).size < 2) continue;
    const key = JSON.stringify([values, metric.unit]);
    if (found.has(key)) found.get(key).same.push(metric.title);
    else found.set(key, { metric, same: [] });
  }
  return [...found.values()];
}

/** Returns a sentence on metrics with the same values, or null. */
export const sameAs = (titles) =>
  titles.length > 0 ? `The values of ${titles.join(" and of ")} are the same.` : null;

const many = (count) => `${number(count)} ${count === 1 ? "run" : "runs"}`;

/** Returns an alert about the runs of a comparison or sweep that are missing, by cause, with their
 *  full reasons. */
export function missingRuns({ missing }) {
  if (!missing) return [];
  const title = (group) => `${group.variant}, ${many(group.seeds.length)}: ${group.cause}`;
  const reasons = (missing.groups ?? []).map((group) => [
    el("dt", {}, title(group)),
    el("dd", {}, el("pre", {}, group.reason)),
  ]);
  const more =
    reasons.length > 0
      ? el("details", {}, el("summary", {}, "Reasons"), el("dl", {}, ...reasons.flat()))
      : null;
  return [el("div", { class: "warning", role: "alert" }, el("p", {}, missing.text), more)];
}

/** Returns "3 of 6 runs" if runs of a variant are missing, else "". */
export function fewRuns(runs) {
  const done = runs.filter(({ status }) => typeof status === "string").length;
  return done < runs.length ? `${done} of ${many(runs.length)}` : "";
}

export const lead = (text) => el("p", { class: "lead" }, text);

/** Says which runs are not to be used, because other programs affected them. */
export function affected(data) {
  const texts = data.affected ?? [];
  if (texts.length === 0) return [];
  const text = texts.map((one) => one.replace(/\.?$/, ".")).join(" ");
  return [el("p", { class: "warning", role: "alert" }, text)];
}

/** Returns the domain of an axis for these values, a little wider than they are. */
export function domainOf(values) {
  const known = values.filter((value) => Number.isFinite(value));
  if (known.length === 0) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const space = (high - low || Math.abs(high) || 1) * 0.06;
  return [low >= 0 ? Math.max(0, low - space) : low - space, high + space];
}
