"""Reads results for figures: runs, comparisons and sweeps."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence, Union

from .. import HeddleError, Result

#: Titles of the figures of a job that have one of their own.
JOB_TITLES = {"waiting_s": "waiting time", "completion_s": "completion time",
              "running_s": "running time"}
#: Units of keys, by their ends.
_ENDS = {"_core_h": "core-h", "_s": "s"}


@dataclass
class Variant:
    """A policy of a comparison, a point of a sweep, or a run."""
    name: str
    runs: list[Path]  #: directories, by repeat
    point: Sequence[str] = ()  #: values of the swept keys


@dataclass
class Metric:
    """A figure of runs, with its values by variant and repeat."""
    title: str
    unit: str
    values: dict[str, list[float]]


class Batch:
    """A comparison or a sweep."""

    def __init__(self, directory: Optional[Path], contents: dict[str, Any]):
        self.directory = directory
        self.kind: str = contents["kind"]
        self.over = [over["key"] for over in contents.get("over", [])]
        self._contents = contents
        base = directory or Path()
        if self.kind == "compare":
            self.variants = [Variant(policy["name"], [base / run["dir"] for run in policy["runs"]])
                             for policy in contents["policies"]]
        else:
            self.variants = [Variant(self._name(point["values"]),
                                     [base / run["dir"] for run in point["runs"]],
                                     point["values"]) for point in contents["points"]]

    def metrics(self) -> list[str]:
        """Returns the keys of the figures: "makespan_s", and "class.small.makespan_s" of groups."""
        if self.kind == "compare":
            return [_key(metric) for metric in self._contents["metrics"]]
        return list(dict.fromkeys(key for point in self._contents["points"]
                                  for key in point["metrics"]))

    def metric(self, key: str) -> Metric:
        if key not in self.metrics():
            raise unknown_figure(key, self.metrics())
        if self.kind == "compare":
            found = next(one for one in self._contents["metrics"] if _key(one) == key)
            return Metric(_title(found), found["unit"],
                          {one["name"]: _known(one["values"]) for one in found["policies"]})
        values = {variant.name: point["metrics"].get(key)
                  for variant, point in zip(self.variants, self._contents["points"])}
        first = next(one for one in values.values() if one)
        return Metric(first["title"], first["unit"],
                      {name: _known(one["values"]) if one else [] for name, one in values.items()})

    def _name(self, values: Sequence[str]) -> str:
        names = [key.split(".")[-1] + "=" + value for key, value in zip(self.over, values)]
        return ", ".join(names)


def nearest(name: str, known: Sequence[str]) -> str:
    """Returns the end of a message about an unknown name."""
    near = difflib.get_close_matches(name, known, 1)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    return f"{hint} (known: {listed(known)})"


def listed(names: Sequence[str], most: int = 12) -> str:
    more = [f"and {len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def unknown_figure(key: str, known: Sequence[str]) -> HeddleError:
    return HeddleError(f'--figure: unknown figure "{key}"{nearest(key, known)}', 2)


def _key(metric: dict[str, Any]) -> str:
    group = metric["group"]
    head = [] if group["kind"] == "all" else [group["kind"], group["name"]]
    return ".".join([*head, metric["key"]])


def _title(metric: dict[str, Any]) -> str:
    group = metric["group"]
    if group["kind"] == "all":
        return metric["title"]
    kind = "" if group["kind"] == "workload" else group["kind"] + " "
    return f"{kind}{group['name']}: {metric['title']}"


def _known(values: Sequence[Optional[float]]) -> list[float]:
    return [value for value in values if value is not None]


Results = Union[list[Result], Batch]


def read(results: Any) -> Results:
    """Reads what a user gives: directories, objects of class Result, Comparison or Sweep, or the
    contents of compare.json."""
    if isinstance(results, dict):
        return Batch(None, results)
    if not isinstance(results, (list, tuple)):
        results = [results]
    found = [one if isinstance(one, Result) else
             _read_directory(Path(getattr(one, "directory", one))) for one in results]
    batches = [one for one in found if isinstance(one, Batch)]
    if batches and len(found) > 1:
        raise HeddleError(f"{batches[0].directory}: a {_NAMES[batches[0].kind]}; expected it "
                          "alone, or only runs", 2)
    return batches[0] if batches else found  # type: ignore[return-value]


_NAMES = {"compare": "comparison", "sweep": "sweep"}


def _read_directory(path: Path) -> Union[Result, Batch]:
    if not path.is_dir():
        raise HeddleError(f"{path}: no such directory; expected a directory of results", 2)
    for name in ("compare.json", "sweep.json"):
        if (path / name).is_file():
            return Batch(path, read_json(path / name))
    if (path / "summary.json").is_file():
        return Result(path)
    if (path / "scenario.yaml").is_file():
        raise HeddleError(f"{path}: the run has no summary.json; expected a run that has ended", 2)
    inner = sorted(str(below) for below in path.iterdir() if (below / "compare.json").is_file())
    if inner:
        raise HeddleError(f"{path}: an experiment; expected one of its comparisons: "
                          + ", ".join(inner), 2)
    raise HeddleError(f"{path}: not a directory of results; heddle ls DIR lists the results "
                      "below DIR", 2)


def read_json(path: Path) -> dict[str, Any]:
    try:
        contents = json.loads(path.read_text())
    except ValueError:
        contents = None
    if not isinstance(contents, dict):
        raise HeddleError(f"{path}: the file is damaged; expected JSON", 4)
    return contents


def kind_of(results: Results) -> str:
    """Returns a phrase for messages."""
    if isinstance(results, Batch):
        return f"a {_NAMES[results.kind]}"
    return "a run" if len(results) == 1 else f"{len(results)} runs"


def _policy_name(policy: dict[str, Any]) -> str:
    """Returns the name of a preset, or of an external policy's program."""
    return policy.get("external", {}).get("label") or policy.get("preset", "")


def run_names(runs: Sequence[Result]) -> list[str]:
    """Returns different names of runs: their policies, or the names of their directories."""
    policies = [_policy_name(run.summary["policy"]) for run in runs]
    names = [run.directory.resolve().name for run in runs]
    for choice in (policies, names):
        if len(set(choice)) == len(choice):
            return choice
    return [str(run.directory) for run in runs]


def variants_of(results: Results) -> list[Variant]:
    if isinstance(results, Batch):
        return results.variants
    return [Variant(name, [run.directory])
            for name, run in zip(run_names(results), results)]


def jobs_of(directory: Path) -> list[dict[str, Any]]:
    """Returns the jobs of a run's summary, with their running times."""
    path = directory / "summary.json"
    if not path.is_file():
        raise HeddleError(f"{path}: no such file; figures of jobs need the summary of each run, "
                          "which comparisons and sweeps keep with --keep first", 2)
    jobs = read_json(path)["jobs"]
    for job in jobs:
        job["running_s"] = (None if job["finish_s"] is None or job["start_s"] is None
                            else round(job["finish_s"] - job["start_s"], 6))
    return jobs


def job_figures(jobs: Sequence[dict[str, Any]]) -> list[str]:
    """Returns the keys of the jobs that have a number in some job."""
    return list(dict.fromkeys(key for job in jobs for key, value in job.items()
                              if isinstance(value, (int, float)) and not isinstance(value, bool)))


def title_and_unit(key: str) -> tuple[str, str]:
    """Returns the title and the unit of a figure of a job."""
    for end, unit in _ENDS.items():
        if key.endswith(end):
            return JOB_TITLES.get(key, key[:-len(end)].replace("_", " ")), unit
    return key.replace("_", " "), ""
