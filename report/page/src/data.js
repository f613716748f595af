// Converts the columns of the page's data to rows.

/** Returns rows for an object of equally long columns. */
export function rows(columns) {
  const names = Object.keys(columns);
  const length = names.length === 0 ? 0 : columns[names[0]].length;
  return Array.from({ length }, (_, i) =>
    Object.fromEntries(names.map((name) => [name, columns[name][i]])),
  );
}

/** Returns the points of a series {t, v} with more fields; `scale` converts values to the chart's
 *  unit. A series {t, mean, low, high} becomes points of its mean with `low` and `high`. */
export function points(series, fields, scale = (value) => value) {
  if (series.v) return series.t.map((t, i) => ({ t, v: scale(series.v[i]), ...fields }));
  return series.t.map((t, i) => ({
    t,
    v: scale(series.mean[i]),
    low: scale(series.low[i]),
    high: scale(series.high[i]),
    ...fields,
  }));
}

/** Returns [[value, share]…] as steps of a distribution that begins at 0. */
export function steps(pairs, fields) {
  if (pairs.length === 0) return [];
  return [[pairs[0][0], 0], ...pairs].map(([value, share]) => ({ value, share, ...fields }));
}

/** Returns the distribution of values as steps, about `most` of them at most. */
export function distribution(values, fields, most = 500) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const every = Math.max(1, Math.ceil(sorted.length / most));
  const pairs = sorted
    .map((value, i) => [value, (i + 1) / sorted.length])
    .filter((_, i) => (i + 1) % every === 0 || i + 1 === sorted.length);
  return steps(pairs, fields);
}

/** Returns the jobs of a run's summary with the run's label, users and frameworks and, if known,
 *  their slowdowns. */
export function jobRows(run) {
  return run.summary.jobs.map((job, i) => ({
    ...job,
    user: run.jobs?.user[i] ?? null,
    framework: run.jobs?.framework[i] ?? null,
    ...run.slowdown?.jobs[i],
    run: run.label,
  }));
}
