"""Run Heddle from Python and notebooks.

    import heddle

    result = heddle.simulate("scenarios/quickstart.yaml", policy="drf", seed=3)
    result.summary["makespan_s"]
    result.jobs                      # a pandas DataFrame, or a list of dicts without pandas

`policy` is text as for --policy, or a class that derives from heddle_policy.Policy. A scenario is
a path, or a dict with the keys of docs/reference/scenario.md. A table is a pandas DataFrame, or a
list of dicts if pandas is not installed. The names of its columns have their units.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

__all__ = ["Answer", "Comparison", "HeddleError", "Import", "Result", "Sweep", "compare",
           "import_trace", "load", "plot", "program", "run", "simulate", "sweep", "verify", "why"]

PathLike = Union[str, "os.PathLike[str]"]
Scenario = Union[PathLike, dict[str, Any]]
PolicyLike = Union[str, Callable[[], Any], None]


class HeddleError(RuntimeError):
    """Heddle refused or could not do what was asked. The text is its message; `status` its exit
    status."""

    def __init__(self, text: str, status: int):
        super().__init__(text)
        self.status = status


def program() -> str:
    """Returns the path of the heddle program: $HEDDLE, the build of this tree, or the one in PATH."""
    built = Path(__file__).resolve().parents[2] / "build" / "bin" / "heddle"
    found = os.environ.get("HEDDLE") or (str(built) if built.exists() else shutil.which("heddle"))
    if not found:
        raise HeddleError("heddle was not found; set HEDDLE to its path", 2)
    return found


def _frame(rows: list[dict[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


#: Columns of run.sqlite and of samples.jsonl whose names have no unit.
_UNITS = {"memory": "memory_bytes", "allowance_memory": "allowance_memory_bytes",
          "system_memory": "system_memory_bytes", "peak_memory": "peak_memory_bytes",
          "read_local": "read_local_bytes", "read_remote": "read_remote_bytes",
          "written": "written_bytes", "cpu_s": "cpu_core_s", "t": "t_s"}


def _with_units(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{_UNITS.get(name, name): value for name, value in row.items()} for row in rows]


class Result:
    """The results of a run, in a directory."""

    def __init__(self, directory: PathLike, keep: Any = None):
        self.directory = Path(directory)
        self._keep = keep  # a temporary directory, removed together with this object
        self.summary: dict[str, Any] = json.loads((self.directory / "summary.json").read_text())

    def table(self, name: str) -> Any:
        """Returns a table of run.sqlite (docs/reference/results.md). Bytes and core-seconds have
        their units in the names of the columns: memory_bytes for memory."""
        return _frame(_with_units(self.rows(name)))

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Returns a table of run.sqlite as a list of dicts, with the names of run.sqlite."""
        path = self.directory / "run.sqlite"
        if not path.exists():
            _call(["export", str(self.directory)])
        with sqlite3.connect(path) as connection:
            connection.row_factory = sqlite3.Row
            known = [row[0] for row in connection.execute(
                "select name from sqlite_master where type in ('table', 'view')")]
            if name not in known:
                raise KeyError(f"no table {name!r}; expected one of {', '.join(known)}")
            return [dict(row) for row in connection.execute(f'select * from "{name}"')]

    @property
    def jobs(self) -> Any:
        return self.table("jobs")

    @property
    def attempts(self) -> Any:
        return self.table("attempts")

    @property
    def samples(self) -> Any:
        """The lines of samples.jsonl, without the containers of each."""
        rows = []
        with open(self.directory / "samples.jsonl") as lines:
            for line in lines:
                row = json.loads(line)
                row.pop("containers", None)
                rows.append(row)
        return _frame(_with_units(rows))

    def __repr__(self) -> str:
        return (f"Result({str(self.directory)!r}: {self.summary['status']}, "
                f"makespan {self.summary['makespan_s']} s)")


class _Batch:
    """The results of several runs. `data` is the content of compare.json or sweep.json."""

    def __init__(self, data: dict[str, Any], directory: PathLike, keep: Any = None):
        self.data = data
        self.directory = Path(directory)
        self._keep = keep

    def _runs(self, facts: dict[str, Any], runs: list[dict[str, Any]],
              metrics: list[tuple[str, str, list[Any]]]) -> list[dict[str, Any]]:
        """Returns a row for each run. `metrics`: key, unit and values by repeat."""
        return [{**facts, "repeat": i + 1, "seed": run["seed"],
                 **{_key_with_unit(key, unit): values[i] for key, unit, values in metrics}}
                for i, run in enumerate(runs)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.data['scenario']!r}: {', '.join(self.data['variants'])})"


def _key_with_unit(key: str, unit: str) -> str:
    unit = unit.replace("-", "_")
    return key if not unit or f"_{unit}_" in f"_{key}_" else f"{key}_{unit}"


class Comparison(_Batch):
    """The results of a comparison. The first policy is the baseline."""

    @property
    def metrics(self) -> Any:
        """A row for each metric, group of jobs and policy: its median, minimum and maximum over the
        repeats, and its mean difference from the baseline, with intervals. `unit` is that of all
        numbers but those whose columns end in _percent (docs/how-to/from-python.md)."""
        rows = []
        for metric in self.data["metrics"]:
            against = {one["policy"]: one for one in metric["against"]}
            for policy in metric["policies"]:
                other = against.get(policy["name"], {})
                low, high = other.get("interval") or (None, None)
                relative = [other.get("relative"), *(other.get("relative_interval") or (None, None))]
                rows.append({"metric": metric["key"], "group": _group(metric), "unit": metric["unit"],
                             "policy": policy["name"], "median": policy["median"],
                             "low": policy["low"], "high": policy["high"],
                             "difference": other.get("difference"), "difference_low": low,
                             "difference_high": high,
                             **dict(zip(("relative_percent", "relative_low_percent",
                                         "relative_high_percent"), map(_percent, relative))),
                             "verdict": other.get("verdict")})
        return _frame(rows)

    @property
    def runs(self) -> Any:
        """A row for each policy and repeat, with a column for each metric of all jobs."""
        metrics = [one for one in self.data["metrics"] if one["group"]["kind"] == "all"]
        rows = []
        for policy in self.data["policies"]:
            of_policy = [(one["key"], one["unit"], values["values"]) for one in metrics
                         for values in one["policies"] if values["name"] == policy["name"]]
            rows += self._runs({"policy": policy["name"]}, policy["runs"], of_policy)
        return _frame(rows)


def _percent(share: Optional[float]) -> Optional[float]:
    return None if share is None else round(100 * share, 4)


def _group(metric: dict[str, Any]) -> str:
    group = metric["group"]
    return "all" if group["kind"] == "all" else f"{group['kind']} {group['name']}"


class Sweep(_Batch):
    """The results of a sweep."""

    @property
    def points(self) -> Any:
        """A row for each point and metric, with a column for each swept key."""
        return _frame([{**self._values(point), "metric": key, "unit": metric["unit"],
                        "median": metric["median"], "low": metric["low"], "high": metric["high"]}
                       for point in self.data["points"]
                       for key, metric in point["metrics"].items()])

    @property
    def runs(self) -> Any:
        """A row for each point and repeat, with a column for each swept key and each metric."""
        rows = []
        for point in self.data["points"]:
            metrics = [(key, metric["unit"], metric["values"])
                       for key, metric in point["metrics"].items()]
            rows += self._runs(self._values(point), point["runs"], metrics)
        return _frame(rows)

    def _values(self, point: dict[str, Any]) -> dict[str, str]:
        return {over["key"]: value for over, value in zip(self.data["over"], point["values"])}


class Answer:
    """What heddle why or heddle verify says: `text` for people, and `data`, from its JSON."""

    def __init__(self, text: str, data: dict[str, Any]):
        self.text, self.data = text, data

    def table(self, name: str) -> Any:
        """Returns a list of the data as a table, such as "causes" or "jobs". What the run measured
        and what the simulation predicted are columns: completion_predicted_s."""
        lists = [key for key, value in self.data.items() if isinstance(value, list)]
        if name not in lists:
            raise KeyError(f"no list {name!r}; expected one of {', '.join(lists)}")
        return _frame([_flat(row) for row in self.data[name]])

    def __repr__(self) -> str:
        return self.text


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Returns the row with the entries of inner dicts as columns, and the unit at the end."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if not isinstance(value, dict):
            flat[key] = value
            continue
        stem, unit = (key[:-2], "_s") if key.endswith("_s") else (key, "")
        for inner, one in value.items():  # an error without a unit is relative
            own = "" if inner.endswith("_s") or inner == "error" else unit
            flat[f"{stem}_{inner}{own}"] = one
    return flat


class Import:
    """A scenario that was made from a trace, to be used as a path. `report` says what the trace
    has, and what was left out or repaired."""

    def __init__(self, path: PathLike, report: dict[str, Any], keep: Any = None):
        self.path, self.report = Path(path), report
        self._keep = keep

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Import({str(self.path)!r}: {self.report['jobs']} jobs, {self.report['tasks']} tasks)"


def _call(arguments: Sequence[str]) -> str:
    """Runs heddle and returns what it prints. If this process is interrupted, heddle ends first."""
    with subprocess.Popen([program(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            out, error = process.communicate()
        except BaseException:
            process.terminate()  # a run kills its processes, which takes a moment
            try:
                process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    # Status 1: a job has failed; there are results.
    if process.returncode not in (0, 1):
        text = error.strip()
        try:  # a run that was given up has a summary
            text = text or json.loads(out)["reason"]
        except (ValueError, KeyError, TypeError):
            pass
        raise HeddleError(text or f"exit status {process.returncode}", process.returncode)
    return out


@contextmanager
def _scenario(scenario: Scenario) -> Iterator[str]:
    if not isinstance(scenario, dict):
        yield os.fspath(scenario)
        return
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        _write_scenario(scenario, file)
        file.flush()
        yield file.name


def _write_scenario(scenario: dict[str, Any], file: Any) -> None:
    json.dump({"heddle": 1, "name": "python", **scenario}, file)  # JSON is YAML


@contextmanager
def _policy(policy: PolicyLike, arg: Optional[Mapping[str, Any]]) -> Iterator[Optional[str]]:
    """Yields the text of the policy. Serves a policy that is a class in a thread."""
    if policy is None or isinstance(policy, str):
        if arg:
            raise HeddleError("arg: expected a policy that is a class; a text has its options after "
                              "a +", 2)
        yield policy
        return
    with tempfile.TemporaryDirectory(prefix="heddle-") as directory:
        # Tables call the policy by the name of this file.
        name = re.sub(r"\W", "_", getattr(policy, "__name__", "policy"), flags=re.ASCII)[:40]
        with _served(policy, f"ipc://{directory}/{name}.sock") as endpoint:
            yield f"external={endpoint}" + "".join(
                f"+arg.{name}={_escaped(value)}" for name, value in (arg or {}).items())


@contextmanager
def _served(policy: Callable[[], Any], endpoint: str) -> Iterator[str]:
    """Serves a policy in a thread."""
    import zmq

    import heddle_policy

    context = zmq.Context()
    socket = context.socket(zmq.REP)
    socket.linger = 0
    socket.bind(endpoint)
    over = threading.Event()
    thread = threading.Thread(target=_serve, args=(heddle_policy, policy, socket, over), daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        over.set()
        thread.join()
        socket.close()
        context.term()


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escaped(value: Any) -> str:
    return re.sub(r"([+,\\])", r"\\\1", _text(value))


def _serve(module: Any, policy: Callable[[], Any], socket: Any, over: threading.Event) -> None:
    def messages() -> Iterator[bytes]:
        while not over.is_set():
            if socket.poll(50):
                yield socket.recv()

    try:
        for reply in module.serve(policy, messages()):
            socket.send(reply)
    except Exception:  # the policy's own; the last reply has its traceback, and so has HeddleError
        pass


def _results(command: str, scenario: Scenario, policy: PolicyLike, seed: Optional[int],
             out: Optional[str], options: Sequence[str],
             arg: Optional[Mapping[str, Any]]) -> Result:
    keep = None if out else tempfile.TemporaryDirectory(prefix="heddle-")
    directory = out or os.path.join(keep.name, "out")  # type: ignore[union-attr]
    with _scenario(scenario) as path, _policy(policy, arg) as text:
        arguments = [command, path, "--quiet", "--json", "--out", directory, *options]
        if text is not None:
            arguments += ["--policy", text]
        if seed is not None:
            arguments += ["--seed", str(seed)]
        _call(arguments)
    return Result(directory, keep)


def simulate(scenario: Scenario, policy: PolicyLike = None, seed: Optional[int] = None,
             out: Optional[str] = None, options: Sequence[str] = (),
             arg: Optional[Mapping[str, Any]] = None) -> Result:
    """Simulates a scenario. `out`: directory of the results, which must be new; by default a
    temporary one that lives as long as the result. `options`: more options of heddle simulate.
    `arg`: options of a policy that is a class, such as {"ageing": 0.1}."""
    return _results("simulate", scenario, policy, seed, out, options, arg)


def run(scenario: Scenario, policy: PolicyLike = None, seed: Optional[int] = None,
        out: Optional[str] = None, options: Sequence[str] = (),
        arg: Optional[Mapping[str, Any]] = None) -> Result:
    """Runs a scenario for real. The parameters are those of simulate()."""
    return _results("run", scenario, policy, seed, out, options, arg)


def compare(scenario: Scenario, policies: Sequence[Any], repeat: int = 5, simulated: bool = True,
            seed: Optional[int] = None, out: Optional[str] = None,
            options: Sequence[str] = ()) -> Comparison:
    """Compares policies: texts, classes, or pairs of a class and its options. The first is the
    baseline (docs/explanation/comparisons.md)."""
    if isinstance(policies, str) or not policies:
        raise HeddleError('policies: expected a list such as ["fifo", Mine]', 2)
    with ExitStack() as served:
        texts = []
        for each in policies:
            policy, arg = each if isinstance(each, tuple) else (each, None)
            if not isinstance(policy, str) and not callable(policy):
                raise HeddleError("policies: expected texts, classes, or pairs of a class and its "
                                  f"options, got {policy!r}", 2)
            texts.append(served.enter_context(_policy(policy, arg)))
        return Comparison(*_batch("compare", scenario, repeat, simulated, seed, out, options,
                                  ["--policies", ",".join(str(text) for text in texts)]))


def sweep(scenario: Scenario, over: Mapping[str, Sequence[Any]], policy: PolicyLike = None,
          repeat: int = 5, simulated: bool = True, seed: Optional[int] = None,
          out: Optional[str] = None, options: Sequence[str] = (),
          arg: Optional[Mapping[str, Any]] = None) -> Sweep:
    """Runs a scenario over values of one key, or of two: over={"cluster.heartbeat": ["1s", "3s"]}."""
    keys = []
    for key, values in over.items():
        if isinstance(values, str) or not values:
            raise HeddleError(f'over: {key}: expected a list of values, such as ["1s", "3s"]', 2)
        keys += ["--over", f"{key}=" + ",".join(_text(value) for value in values)]
    with _policy(policy, arg) as text:
        return Sweep(*_batch("sweep", scenario, repeat, simulated, seed, out, options,
                             keys + (["--policy", text] if text is not None else [])))


def _batch(command: str, scenario: Scenario, repeat: int, simulated: bool, seed: Optional[int],
           out: Optional[str], options: Sequence[str],
           more: Sequence[str]) -> tuple[dict[str, Any], str, Any]:
    keep = None if out else tempfile.TemporaryDirectory(prefix="heddle-")
    directory = out or os.path.join(keep.name, "out")  # type: ignore[union-attr]
    with _scenario(scenario) as path:
        arguments = [command, path, "--quiet", "--json", "--repeat", str(repeat), "--out", directory,
                     *more, *options, *(["--simulate"] if simulated else []),
                     *(["--seed", str(seed)] if seed is not None else [])]
        return json.loads(_call(arguments)), directory, keep


def load(directory: PathLike) -> Union[Result, Comparison, Sweep]:
    """Loads the results of an earlier run, comparison or sweep."""
    path = Path(directory)
    if (path / "compare.json").is_file():
        return Comparison(json.loads((path / "compare.json").read_text()), path)
    if (path / "sweep.json").is_file():
        return Sweep(json.loads((path / "sweep.json").read_text()), path)
    if (path / "summary.json").is_file():
        return Result(path)
    raise HeddleError(f"{path}: expected a directory of results; heddle ls DIR lists those below "
                      "DIR", 2)


def _directory(result: Any) -> str:
    return str(result.directory if isinstance(result, (Result, _Batch)) else os.fspath(result))


def why(result: Union[Result, PathLike], job: Union[str, int], later: bool = False) -> Answer:
    """Explains what a job waited for. `job`: its name, or its number from 0. `later`: also times
    without a running task after its start. Tables: "stretches", "causes"."""
    arguments = ["why", _directory(result), str(job), *(["--all"] if later else [])]
    return Answer(_call(arguments).strip(), json.loads(_call([*arguments, "--json"])))


def verify(*results: Union[Result, PathLike], policy: Optional[Callable[[], Any]] = None,
           options: Sequence[str] = ()) -> Answer:
    """Compares a real run, or several of one scenario, with its simulation. `policy`: the class under
    which it ran, if there is one. `options`: more options of heddle verify, such as
    ["--allow-exec"]. Table of one run: "jobs"."""
    arguments = ["verify", *map(_directory, results), *options]
    with ExitStack() as served:
        if policy is not None:
            summary = json.loads((Path(_directory(results[0])) / "summary.json").read_text())
            endpoint = summary["policy"].get("external", {}).get("endpoint", "")
            if not endpoint.startswith("ipc://"):
                raise HeddleError("policy: expected results of a run under a class", 2)
            # Heddle looks for the policy where it was in the run.
            directory = Path(endpoint[len("ipc://"):]).parent
            directory.mkdir(mode=0o700)
            served.callback(shutil.rmtree, directory)
            served.enter_context(_served(policy, endpoint))
        return Answer(_call(arguments).strip(), json.loads(_call([*arguments, "--json"])))


def import_trace(*files: PathLike, form: Optional[str] = None, out: Optional[str] = None,
                 options: Sequence[str] = ()) -> Import:
    """Makes a scenario from a trace (docs/reference/trace-formats.md). `form`: the format; default:
    recognized. `out`: the file, which must be new. `options`: more options of heddle import."""
    keep = tempfile.TemporaryDirectory(prefix="heddle-")
    path, report = out or f"{keep.name}/scenario.yaml", f"{keep.name}/report.json"
    _call(["import", *([form] if form else []), *(os.fspath(file) for file in files), "--out", path,
           "--report", report, *options])
    return Import(path, json.loads(Path(report).read_text()), keep)


from . import plot  # noqa: E402  plot needs the classes above
