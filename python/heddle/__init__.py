"""Run Heddle from Python and notebooks.

    import heddle

    result = heddle.simulate("scenarios/quickstart.yaml", policy="drf", seed=3)
    result.summary["makespan_s"]
    result.jobs                      # a pandas DataFrame, or a list of dicts without pandas

`policy` is text as for --policy, or a class that derives from heddle_policy.Policy. A scenario is
a path, or a dict with the keys of docs/reference/scenario.md.
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
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

__all__ = ["HeddleError", "Result", "compare", "plot", "program", "run", "simulate"]

Scenario = Union[str, "os.PathLike[str]", dict[str, Any]]
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


class Result:
    """The results of a run, in a directory."""

    def __init__(self, directory: Union[str, "os.PathLike[str]"], keep: Any = None):
        self.directory = Path(directory)
        self._keep = keep  # a temporary directory, removed together with this object
        self.summary: dict[str, Any] = json.loads((self.directory / "summary.json").read_text())

    def table(self, name: str) -> Any:
        """Returns a table of run.sqlite as a pandas DataFrame, or as a list of dicts without pandas.
        docs/reference/results.md describes the tables."""
        return _frame(self.rows(name))

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Returns a table of run.sqlite as a list of dicts."""
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
        return _frame(rows)

    def __repr__(self) -> str:
        return (f"Result({str(self.directory)!r}: {self.summary['status']}, "
                f"makespan {self.summary['makespan_s']} s)")


def _call(arguments: Sequence[str]) -> str:
    done = subprocess.run([program(), *arguments], capture_output=True, text=True, check=False)
    # Status 1: a job has failed; there are results.
    if done.returncode not in (0, 1):
        text = done.stderr.strip()
        try:  # a run that was given up has a summary
            text = text or json.loads(done.stdout)["reason"]
        except (ValueError, KeyError, TypeError):
            pass
        raise HeddleError(text or f"exit status {done.returncode}", done.returncode)
    return done.stdout


@contextmanager
def _scenario(scenario: Scenario) -> Iterator[str]:
    if not isinstance(scenario, dict):
        yield os.fspath(scenario)
        return
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump({"heddle": 1, "name": "python", **scenario}, file)  # JSON is YAML
        file.flush()
        yield file.name


@contextmanager
def _policy(policy: PolicyLike, arg: Optional[Mapping[str, Any]]) -> Iterator[Optional[str]]:
    """Yields the text of the policy. Serves a policy that is a class in a thread."""
    if policy is None or isinstance(policy, str):
        if arg:
            raise HeddleError("arg: expected a policy that is a class; a text has its options after "
                              "a +", 2)
        yield policy
        return
    import zmq

    import heddle_policy

    with tempfile.TemporaryDirectory(prefix="heddle-") as directory:
        endpoint = f"ipc://{directory}/policy.sock"
        context = zmq.Context()
        socket = context.socket(zmq.REP)
        socket.linger = 0
        socket.bind(endpoint)
        over = threading.Event()
        thread = threading.Thread(target=_serve, args=(heddle_policy, policy, socket, over),
                                  daemon=True)
        thread.start()
        try:
            yield f"external={endpoint}" + "".join(
                f"+arg.{name}={_escaped(value)}" for name, value in (arg or {}).items())
        finally:
            over.set()
            thread.join()
            socket.close()
            context.term()


def _escaped(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return re.sub(r"([+,\\])", r"\\\1", text)


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


def compare(scenario: Scenario, policies: Sequence[str], repeat: int = 5, simulated: bool = True,
            options: Sequence[str] = ()) -> dict[str, Any]:
    """Compares policies, given as text. The first is the baseline. Returns compare.json
    (docs/explanation/comparisons.md)."""
    with _scenario(scenario) as path, tempfile.TemporaryDirectory(prefix="heddle-") as directory:
        arguments = ["compare", path, "--quiet", "--json", "--policies", ",".join(policies),
                     "--repeat", str(repeat), "--out", os.path.join(directory, "out"), *options]
        return json.loads(_call(arguments + (["--simulate"] if simulated else [])))


from . import plot  # noqa: E402  plot needs the classes above
