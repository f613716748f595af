"""Makes the data behind figures from results. Nothing here draws."""

from __future__ import annotations

import csv
import io
import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from statistics import mean, stdev
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

from .. import HeddleError, Result
from .results import (Batch, Results, Variant, job_figures, jobs_of, kind_of, listed,
                      nearest, title_and_unit, unknown_figure, variants_of)

#: Maximum number of series of a figure: more could not be distinguished in black and white.
MOST_SERIES = 6
#: Maximum number of nodes of a Gantt chart.
MOST_NODES = 64
#: A usage curve with more points is averaged over this many equal spans.
MOST_POINTS, SPANS = 1000, 500
LEVEL = 0.95
GIB = 2**30


@dataclass
class Data:
    """The data behind a figure: a table, the texts of its axes, and a sentence for its caption."""
    columns: list[str]
    rows: list[list[Any]]
    caption: str
    axes: dict[str, str] = field(default_factory=dict)  #: x, y: their labels
    series: list[str] = field(default_factory=list)  #: in the order in which they are drawn
    facts: dict[str, Any] = field(default_factory=dict)  #: what a kind needs beside its table
    notes: list[str] = field(default_factory=list)  #: what the reader of the data must know

    def of(self, series: str) -> list[list[Any]]:
        """Returns the rows of a series, which the first column names."""
        return [row for row in self.rows if row[0] == series]

    def column(self, name: str) -> list[Any]:
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def csv(self) -> str:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_cell(value) for value in row] for row in self.rows)
        return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{round(value, 6):.15g}"
    # A spreadsheet would take such a text for a formula.
    return "'" + value if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value


def choose(wanted: Optional[Sequence[str]], known: Sequence[str], option: str,
           most: int = MOST_SERIES) -> list[str]:
    """Returns the wanted names, or all. Raises HeddleError if one is unknown or there are too
    many."""
    for name in wanted or []:
        if name not in known:
            raise HeddleError(f'{option}: unknown "{name}"{nearest(name, known)}', 2)
    chosen = list(wanted or known)
    if len(chosen) > most:
        raise HeddleError(f"there are {len(chosen)} to show, and a figure shows at most {most}; "
                          f"expected {option} NAME up to {most} times (known: "
                          f"{listed(known)})", 2)
    return chosen


#: New names of series: a dict, or texts "OLD=NEW".
Labels = Union[Mapping[str, str], Sequence[str], None]


def relabel(data: Data, labels: Labels) -> Data:
    """Renames series of the data. Raises HeddleError if one is unknown, or if two would have one
    name."""
    if not labels:
        return data
    given = (dict(labels) if isinstance(labels, Mapping)
             else dict(_parse_label(text, data.series) for text in labels))
    choose(list(given), data.series, "--label", len(data.series))
    column = data.columns.index("series" if "series" in data.columns else "job")
    names = dict.fromkeys([*data.series, *(row[column] for row in data.rows)])
    new = [given.get(name, name) for name in names]
    for name in new:
        if new.count(name) > 1:
            raise HeddleError(f'--label: two series would be called "{name}"; expected different '
                              "names", 2)
    data.series = [given.get(name, name) for name in data.series]
    for row in data.rows:
        row[column] = given.get(row[column], row[column])
    return data


def _parse_label(text: str, known: Sequence[str]) -> tuple[str, str]:
    """Returns the two names in "OLD=NEW". A name of a series can have a "=" too."""
    fitting = [name for name in known if name and text.startswith(name + "=")]
    old = max(fitting, key=len) if fitting else text.partition("=")[0]
    if "=" not in text or text == old + "=":
        raise HeddleError(f'--label: expected OLD=NEW, such as "fifo=FIFO", got "{text}"', 2)
    return old, text[len(old) + 1:]


def _label(title: str, unit: str) -> str:
    return f"{title} ({unit})" if unit else title


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _one_run(results: Results, kind: str) -> Result:
    if isinstance(results, Batch) or len(results) != 1:
        raise HeddleError(f"--kind {kind}: expected the directory of one run, got "
                          f"{kind_of(results)}", 2)
    return results[0]


def _batch(results: Results, kind: str) -> Batch:
    if not isinstance(results, Batch):
        raise HeddleError(f"--kind {kind}: expected the directory of a comparison or a sweep, got "
                          f"{kind_of(results)}", 2)
    return results


# Gantt charts.

def gantt(results: Results, series: Optional[Sequence[str]] = None,
          nodes: Optional[Sequence[str]] = None) -> Data:
    run = _one_run(results, "gantt")
    jobs = {job["id"]: job["name"] for job in run.rows("jobs")}
    shown = choose(nodes, [node["name"] for node in run.rows("nodes")], "--node", MOST_NODES)
    attempts = [row for row in run.rows("attempts") if row["node"] in shown]
    ends = [row["released_s"] for row in attempts if row["released_s"] is not None]
    end = max([*ends, *(row["allocated_s"] for row in attempts)], default=0.0)
    rows = []
    for row in sorted(attempts, key=lambda row: (row["allocated_s"], row["id"])):
        until = end if row["released_s"] is None else row["released_s"]
        rows.append([row["node"], 0, jobs[row["job_id"]], row["phase"], row["task"],
                     row["attempt"], row["state"], row["allocated_s"], until])
    _set_lanes(rows)
    chosen, rest = _main_jobs(rows, series)
    data = Data(["node", "lane", "job", "phase", "task", "attempt", "state", "from_s", "until_s"],
                rows, f"Containers of {_count(rows, 'attempt')} on {len(shown)} nodes over time, "
                "from allocation to release.", {"x": "time (s)"}, chosen)
    data.facts = {"nodes": shown, "rest": rest}
    return data


def _count(things: Sequence[Any], name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"


def _set_lanes(rows: list[list[Any]]) -> None:
    """Gives each container the first lane of its node that is free. The rows are in the order of
    their beginnings."""
    free: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        lanes = free[row[0]]
        lane = next((i for i, until in enumerate(lanes) if until <= row[7]), len(lanes))
        lanes[lane:lane + 1] = [row[8]]
        row[1] = lane


def _main_jobs(rows: list[list[Any]], wanted: Optional[Sequence[str]]) -> tuple[list[str], int]:
    """Returns the jobs that get a fill of their own, and the number of the others: all jobs, or
    those that held containers for longest."""
    held: dict[str, float] = defaultdict(float)
    for row in rows:
        held[row[2]] += row[8] - row[7]
    if wanted:
        chosen = choose(wanted, list(held), "--series", MOST_SERIES - 1)
    else:
        most = MOST_SERIES if len(held) <= MOST_SERIES else MOST_SERIES - 1
        longest = sorted(held, key=lambda job: -held[job])[:most]
        chosen = [job for job in held if job in longest]
    return chosen, len(held) - len(chosen)


# Usage over time.

def usage(results: Results) -> Data:
    run = _one_run(results, "usage")
    nodes = run.rows("nodes")
    columns = {"cores_allocated": _allocated(run, "cores"), "cores_used": _used_cores(run),
               "memory_allocated_gib": _allocated(run, "memory"),
               "memory_used_gib": _used_memory(run)}
    measured = bool(run.rows("samples"))
    names = [name for name in columns if measured or "allocated" in name]
    table = _steps([columns[name] for name in names])
    data = Data(["t_s", *names], table, "Cores and memory of all containers over time: allocated"
                + (" and used." if measured else "."), {"x": "time (s)"})
    data.facts = {"cores": sum(node["cores"] for node in nodes),
                  "memory": sum(node["memory"] for node in nodes) / GIB, "measured": measured}
    if not measured:
        data.notes.append("the run has no samples, so the figure shows no use")
    if len(table) > MOST_POINTS:
        data.rows = _averaged(table, SPANS)
        data.notes.append(f"the curves are means over {SPANS} equal spans")
    return data


Changes = list[tuple[float, float]]  #: times and the changes of an amount


def _allocated(run: Result, resource: str) -> Changes:
    """Returns the changes of what containers hold. A suspended container holds no cores."""
    scale = GIB if resource == "memory" else 1
    changes, amounts, ends = [], {}, {}
    for row in run.rows("attempts"):
        amount = row[resource] / scale
        amounts[row["id"]], ends[row["id"]] = amount, row["released_s"]
        changes.append((row["allocated_s"], amount))
        if row["released_s"] is not None:
            changes.append((row["released_s"], -amount))
    for row in run.rows("suspensions") if resource == "cores" else []:
        until = row["until_s"] if row["until_s"] is not None else ends[row["attempt_id"]]
        changes.append((row["from_s"], -amounts[row["attempt_id"]]))
        if until is not None:
            changes.append((until, amounts[row["attempt_id"]]))
    return changes


def _samples_of_nodes(run: Result) -> Iterator[list[tuple[float, float, float]]]:
    """Yields for each node the times, cores and memory of its samples. A lost node uses nothing
    until its next sample."""
    samples: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for row in run.rows("samples"):
        samples[row["node"]].append((row["t_s"], row["cores"], row["memory"] / GIB))
    for row in run.rows("node_events"):
        if row["event"] == "lost":
            samples[row["node"]].append((row["t_s"], 0.0, 0.0))
    for some in samples.values():
        yield sorted(some)


def _used_cores(run: Result) -> Changes:
    """Returns the changes of used cores. A sample is the mean since the sample before."""
    changes = []
    for samples in _samples_of_nodes(run):
        before = 0.0
        for t, cores, _ in samples:
            changes += [(before, cores), (t, -cores)]
            before = t
    return changes


def _used_memory(run: Result) -> Changes:
    """Returns the changes of used memory, which stays as in a sample until the next one."""
    changes = []
    for samples in _samples_of_nodes(run):
        had = 0.0
        for t, _, memory in samples:
            changes.append((t, memory - had))
            had = memory
    return changes


def _steps(curves: Sequence[Changes]) -> list[list[float]]:
    """Returns a row for each time at which a curve changes: the time and the amounts from then
    on."""
    changes: dict[float, list[float]] = defaultdict(lambda: [0.0] * len(curves))
    changes[0.0]  # the curves begin at 0
    for i, curve in enumerate(curves):
        for t, by in curve:
            changes[t][i] += by
    now, rows = [0.0] * len(curves), []
    for t in sorted(changes):
        now = [abs(round(a + by, 9)) for a, by in zip(now, changes[t])]
        if not rows or rows[-1][1:] != now or t == max(changes):
            rows.append([t, *now])
    return rows


def _averaged(rows: list[list[float]], spans: int) -> list[list[float]]:
    """Returns the means over equal spans of time."""
    end, at, averaged = rows[-1][0], 0, []
    for i in range(spans):
        start, stop = end * i / spans, end * (i + 1) / spans
        sums = [0.0] * (len(rows[0]) - 1)
        while True:
            until = rows[at + 1][0] if at + 1 < len(rows) else math.inf
            held = min(until, stop) - max(rows[at][0], start)
            sums = [total + value * held for total, value in zip(sums, rows[at][1:])]
            if until > stop or at + 1 == len(rows):
                break
            at += 1
        averaged.append([start, *(total / (stop - start) for total in sums)])
    return [*averaged, [end, *rows[-1][1:]]]


# Figures of jobs.

def cdf(results: Results, figure: str = "waiting_s",
        series: Optional[Sequence[str]] = None) -> Data:
    variants, title, unit, notes = _jobs_by_variant(results, figure, series)
    rows = []
    for name, jobs in variants.items():
        values = sorted(value for _, _, value in jobs)
        rows += [[name, value, (i + 1) / len(values)] for i, value in enumerate(values)]
    return Data(["series", figure, "share"], rows,
                f"Cumulative distribution of the {title} of jobs{_pooled(results, variants)}.",
                {"x": _label(title, unit), "y": "share of jobs"}, list(variants), notes=notes)


def box(results: Results, figure: str = "completion_s",
        series: Optional[Sequence[str]] = None) -> Data:
    caption = ("Boxes reach from the first to the third quartile, with a line at the median; "
               "whiskers reach to the last value within 1.5 of this range, and dots are beyond.")
    if isinstance(results, Batch) and figure in results.metrics():
        metric = results.metric(figure)
        chosen = choose(series, [variant.name for variant in results.variants], "--series")
        scale, unit = _scaled(metric.unit)
        rows = [[name, i + 1, value * scale] for name in chosen
                for i, value in enumerate(metric.values[name])]
        return Data(["series", "repeat", figure], rows,
                    f"{_sentence(metric.title)} of the repeats. {caption}",
                    {"x": _label(metric.title, unit)}, chosen)
    variants, title, unit, notes = _jobs_by_variant(results, figure, series)
    rows = [[name, *job] for name, jobs in variants.items() for job in jobs]
    return Data(["series", "repeat", "job", figure], rows,
                f"{_sentence(title)} of jobs{_pooled(results, variants)}. {caption}",
                {"x": _label(title, unit)}, list(variants), notes=notes)


Job = tuple[int, str, float]  #: repeat, name and value


def _pooled(results: Results, variants: dict[str, list[Job]]) -> str:
    repeats = max(repeat for jobs in variants.values() for repeat, _, _ in jobs)
    return f", {repeats} repeats together" if isinstance(results, Batch) and repeats > 1 else ""


def _jobs_by_variant(results: Results, figure: str, series: Optional[Sequence[str]]
                     ) -> tuple[dict[str, list[Job]], str, str, list[str]]:
    """Returns the values of jobs by variant, the title and the unit of the figure, and notes about
    jobs without a value."""
    variants = {variant.name: variant for variant in variants_of(results)}
    chosen = choose(series, list(variants), "--series")
    found, known, notes = {}, {}, []
    for name in chosen:
        jobs = _jobs_of_runs(variants[name])
        known.update(dict.fromkeys(job_figures([job for _, job in jobs])))
        found[name] = [(repeat, job["name"], job[figure]) for repeat, job in jobs
                       if isinstance(job.get(figure), (int, float))]
        if found[name] and len(found[name]) < len(jobs):
            notes.append(f"{name}: {len(jobs) - len(found[name])} of {len(jobs)} jobs have no "
                         f"{figure} and are left out")
    if figure not in known:
        metrics = results.metrics() if isinstance(results, Batch) else []
        if figure in metrics:
            raise HeddleError(f"--figure: {figure} is a figure of runs; expected one of jobs "
                              f"({listed(list(known))})", 2)
        raise unknown_figure(figure, [*known, *metrics])
    empty = [name for name in chosen if not found[name]]
    if empty:
        raise HeddleError(f"{', '.join(empty)}: no job has {figure}; expected a value of at least "
                          "one job", 2)
    return found, *title_and_unit(figure), notes


def _jobs_of_runs(variant: Variant) -> list[tuple[int, dict[str, Any]]]:
    return [(i + 1, job) for i, run in enumerate(variant.runs) for job in jobs_of(run)]


# Figures of runs, over repeats.

def _scaled(unit: str) -> tuple[float, str]:
    """Returns the factor and the unit in which values are shown."""
    return (100.0, "%") if unit == "share" else (1.0, unit)


def student_t(level: float, freedom: int) -> float:
    """Returns t such that |T| <= t with probability `level`, for Student's T with that many degrees
    of freedom."""
    low, high = 0.0, 1e6
    while high - low > 1e-9 * max(1.0, low):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
    return high


def _within(t: float, freedom: int) -> float:
    """The probability of |T| <= t. Source: Abramowitz and Stegun, Handbook of Mathematical
    Functions, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    odd = freedom % 2 == 1
    term = total = math.cos(angle) if odd else 1.0
    for i in range(2 if odd else 1, freedom - 2, 2):
        term *= i / (i + 1) * math.cos(angle) ** 2
        total += term
    if odd:
        return 2 / math.pi * (angle + (math.sin(angle) * total if freedom > 1 else 0))
    return math.sin(angle) * total


def interval(values: Sequence[float], most: float = math.inf) -> tuple[float, float, float]:
    """Returns the mean and its confidence interval at LEVEL, limited to possible values: from 0 to
    `most`. With one value, the interval has no width."""
    middle = mean(values)
    if len(values) < 2:
        return middle, middle, middle
    half = student_t(LEVEL, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return middle, max(0.0, middle - half), min(most, middle + half)


def _row(values: Sequence[float], unit: str) -> list[float]:
    """Returns the number of repeats, the mean and the interval, or blanks without any value."""
    scale, _ = _scaled(unit)
    if not values:
        return [0, "", "", ""]  # type: ignore[list-item]
    return [len(values), *(scale * end
                           for end in interval(values, 1.0 if unit == "share" else math.inf))]


def _over_repeats(shape: str, rows: Iterable[Sequence[float]]) -> str:
    repeats = {row[0] for row in rows if row[0]}
    if max(repeats, default=0) < 2:
        return f"{shape} are values of one run."
    number = str(max(repeats)) if len(repeats) == 1 else f"{min(repeats)} to {max(repeats)}"
    return (f"{shape} are means of {number} repeats, with {100 * LEVEL:g} % confidence intervals "
            "(Student's t).")


def bars(results: Results, figure: str = "mean_completion_s",
         series: Optional[Sequence[str]] = None) -> Data:
    batch = _batch(results, "bars")
    metric = batch.metric(figure)
    chosen = choose(series, [variant.name for variant in batch.variants], "--series")
    rows = [[name, *_row(metric.values[name], metric.unit)] for name in chosen]
    return Data(["series", "repeats", "mean", "low", "high"], rows,
                f"{_sentence(metric.title)}. {_over_repeats('Bars', (row[1:] for row in rows))}",
                {"x": _label(metric.title, _scaled(metric.unit)[1])}, chosen)


_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?) ?([A-Za-z%/]*)")


def numbers(texts: Sequence[str]) -> Optional[tuple[list[float], str]]:
    """Returns the numbers and their unit, if all texts are numbers of one unit."""
    found = [_NUMBER.fullmatch(text) for text in texts]
    if not all(found) or len({match[2] for match in found if match}) != 1:
        return None
    return [float(match[1]) for match in found if match], found[0][2]  # type: ignore[index]


def sweep(results: Results, figure: str = "mean_completion_s",
          series: Optional[Sequence[str]] = None) -> Data:
    batch = _batch(results, "sweep")
    if batch.kind != "sweep":
        raise HeddleError("--kind sweep: expected the directory of a sweep, got a comparison", 2)
    metric = batch.metric(figure)
    across = _axis(batch)
    of_lines = [", ".join(v for i, v in enumerate(variant.point) if i != across)
                for variant in batch.variants]
    chosen = choose(series, list(dict.fromkeys(of_lines)), "--series")
    rows = [[line, variant.point[across], *_row(metric.values[variant.name], metric.unit)]
            for name in chosen for line, variant in zip(of_lines, batch.variants) if line == name]
    key = batch.over[across]
    swept = numbers([row[1] for row in rows])
    data = Data(["series", key, "repeats", "mean", "low", "high"], rows,
                f"{_sentence(metric.title)} over {key}. "
                f"{_over_repeats('Points', (row[2:] for row in rows))}",
                {"x": _label(key, swept[1] if swept else ""),
                 "y": _label(metric.title, _scaled(metric.unit)[1])}, chosen)
    data.facts = {"numeric": swept is not None}
    return data


def _axis(batch: Batch) -> int:
    """Returns the swept key on the axis: the first with numbers, or the first."""
    for i in range(len(batch.over)):
        if numbers([variant.point[i] for variant in batch.variants]):
            return i
    return 0


#: The kinds of figures, and the options that each takes.
KINDS: dict[str, Callable[..., Data]] = {"gantt": gantt, "cdf": cdf, "bars": bars, "usage": usage,
                                         "sweep": sweep, "box": box}
