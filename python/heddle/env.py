"""An environment for reinforcement learning, with the interface of Gymnasium.

    from heddle.env import HeddleEnv

    env = HeddleEnv("scenarios/quickstart.yaml")
    observation, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        action = choose(observation[: info["choices"]])
        observation, reward, terminated, truncated, info = env.step(action)

One `heddle simulate --episodes` process simulates all episodes. It ends with the process that
started it. Gymnasium is not needed; if it is installed, the spaces are Gymnasium's, and observations
are arrays of numpy.

The environment asks at each decision which of the first `slots` requests that fit now gets the next
container, on the first node in which it fits. All containers of a gang start together. An action is
the number of one of these requests, or `slots`: launch nothing more now. Any other action is an
error. An observation has `slots` rows: the features of these requests, and zeros where there is no
request. The reward is minus the number of unfinished submitted jobs times the emulated seconds
since the last step; its sum is minus the total completion time of all jobs.
"""

from __future__ import annotations

import json
import operator
import random
import select
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import Any, Callable, Optional, Union

import zmq
from heddle_policy import PROTOCOL, Cluster, Node, Request, Step

from . import HeddleError, Scenario, _write_scenario, program

__all__ = ["FEATURES", "Box", "Discrete", "HeddleEnv"]

#: The columns of an observation. The cores, the memory and the walltime are those of one container
#: and of its job, job_tasks_left and job_cores_left count what the job requests now, and free_cores
#: is what the offered nodes have.
FEATURES = ("cores", "memory_gib", "pending", "job_tasks_left", "job_cores_left", "walltime_s",
            "waited_s", "free_cores")
#: The largest seed of Heddle.
_LARGEST_SEED = 2**63 - 1


class Discrete:
    """The whole numbers from 0 to n - 1, as gymnasium.spaces.Discrete."""

    shape = ()

    def __init__(self, n: int):
        self.n = n
        self._random = random.Random()

    def seed(self, seed: Optional[int] = None) -> None:
        self._random.seed(seed)

    def sample(self, mask: Optional[Any] = None) -> int:
        """Returns one of the numbers whose `mask` is 1."""
        allowed = range(self.n) if mask is None else [i for i in range(self.n) if mask[i]]
        return self._random.choice(allowed)

    def contains(self, x: Any) -> bool:
        return isinstance(x, int) and not isinstance(x, bool) and 0 <= x < self.n

    def __repr__(self) -> str:
        return f"Discrete({self.n})"


class Box:
    """Rows of numbers between two bounds, as gymnasium.spaces.Box."""

    def __init__(self, low: float, high: float, shape: tuple[int, int]):
        self.low, self.high, self.shape = low, high, shape

    def contains(self, x: Any) -> bool:
        rows, columns = self.shape
        return len(x) == rows and all(
            len(row) == columns and all(self.low <= value <= self.high for value in row)
            for row in x)

    def __repr__(self) -> str:
        return f"Box({self.low}, {self.high}, {self.shape})"


class _Env:
    """The functions of gymnasium.Env that need nothing else."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        pass


_numpy: Any = None
try:
    import numpy as _numpy  # noqa: F811
    from gymnasium import Env as _Base
    from gymnasium.spaces import Box as _Box
    from gymnasium.spaces import Discrete as _Discrete
except ImportError:
    _Base, _Box, _Discrete, _numpy = _Env, Box, Discrete, None

#: A scenario, or a function that makes the one of a seed.
Scenarios = Union[Scenario, Callable[[int], dict[str, Any]]]


class HeddleEnv(_Base):  # type: ignore[misc]
    """The environment. `scenario`: a path, a dict, or a function that returns the dict of a seed.
    `slots`: the largest number of requests to choose from. `requests` are the requests of the last
    observation, and `cluster` is the state of the cluster, as policies see both (heddle_policy)."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, scenario: Scenarios, slots: int = 8):
        if not isinstance(slots, int) or slots < 1:
            raise HeddleError(f"slots: expected a number of requests from 1, got {slots!r}", 2)
        self.slots = slots
        self.action_space = _Discrete(slots + 1)
        self.observation_space = _Box(0, float("inf"), (slots, len(FEATURES)))
        self._scenario = scenario
        self._seeds = random.Random()
        self._directory = tempfile.TemporaryDirectory(prefix="heddle-")
        self._context = zmq.Context()
        self._socket: Optional[zmq.Socket[bytes]] = None
        self._process: Optional[subprocess.Popen[str]] = None
        self._open = False  # an episode is going on
        self._step: Optional[Step] = None
        self._places: list[tuple[Request, list[Node]]] = []

    @property
    def requests(self) -> list[Request]:
        return [request for request, _ in self._places]

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode. An episode that has not ended is given up. `seed`: seed of everything
        that is drawn, also of the seeds of later episodes; default: drawn. `options`: {"scenario":
        …} for another scenario, as in the constructor."""
        for name in options or {}:
            if name != "scenario":
                raise HeddleError(f'options: unknown "{name}"; expected scenario', 2)
        if seed is not None:
            seed = _whole(seed, "seed", _LARGEST_SEED)
            self._seeds.seed(seed)
            super().reset(seed=seed % 2**32) if _Base is not _Env else None
        self._give_up()
        self._seed = self._seeds.randrange(2**31) if seed is None else seed
        self._start((options or {}).get("scenario", self._scenario))
        self._open, self._now, self._unfinished, self._paid = True, 0.0, 0.0, 0.0
        self._jobs_left: set[int] = set()  # submitted and not finished
        self._receive()
        self._skip()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carries out an action. Raises HeddleError if the action is wrong, and if Heddle aborts the
        run, because then it has no result."""
        if not self._open or self._step is None:
            raise HeddleError("the episode is over; expected reset()", 2)
        action = _whole(action, "action", self.slots)
        if len(self._places) <= action < self.slots:
            raise HeddleError(f"action: expected one of the {len(self._places)} requests, from 0 to "
                              f"{len(self._places) - 1}, or {self.slots} to launch nothing more "
                              f"now, got {action}", 2)
        if action < self.slots:
            request, nodes = self._places[action]
            for node in nodes:
                self._step.launch(request, node, "learned")
            if self._has_rules():
                self._reply(again=True)
            else:
                self._places = self._fitting()
        else:
            self._places = []
        self._skip()
        reward = -self._unfinished
        self._paid, self._unfinished = self._paid + self._unfinished, 0.0
        return self._observation(), reward, not self._open, False, self._info()

    def action_masks(self) -> Any:
        """Returns 1 for each action that is allowed now, else 0."""
        masks = [int(i < len(self._places) or i == self.slots) for i in range(self.slots + 1)]
        return _numpy.array(masks, _numpy.int8) if _numpy else masks

    def close(self) -> None:
        self._stop()
        self._context.destroy(linger=0)
        self._directory.cleanup()

    # The process of Heddle.

    def _start(self, scenario: Scenarios) -> None:
        """Begins an episode in the process, and starts the process first if there is none."""
        if callable(scenario):
            scenario = scenario(self._seed)
        path = Path(self._directory.name) / "scenario.yaml"
        if isinstance(scenario, dict):
            with open(path, "w") as file:
                _write_scenario(scenario, file)
        else:
            path = Path(scenario)
        if self._process is None or self._process.poll() is not None:
            self._stop()
            endpoint = f"ipc://{self._directory.name}/policy.sock"
            self._socket = self._context.socket(zmq.REP)
            self._socket.linger = 0
            self._socket.bind(endpoint)
            self._errors = tempfile.TemporaryFile("w+")
            self._process = subprocess.Popen(
                [program(), "simulate", str(path), "--episodes", "--policy",
                 f"external={endpoint}+policy_timeout=86400"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True)
            # An environment that nobody closes takes its process with it.
            weakref.finalize(self, self._process.kill)
        self._errors.seek(0)
        self._errors.truncate()
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"seed": self._seed, "scenario": str(path)}) + "\n")
        self._process.stdin.flush()

    def _stop(self) -> None:
        self._open, self._step, self._places = False, None, []
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors, self._socket):
            if stream:
                stream.close()
        self._process = None

    def _give_up(self) -> None:
        """Ends an episode that is going on. Its simulation ends at once."""
        if self._open:
            self._send({"request": self._number, "error": "the episode was given up"})
            self._take_summary()

    def _take_summary(self) -> None:
        assert self._process and self._process.stdout
        self._summary = json.loads(self._process.stdout.readline())
        self._open, self._step, self._places = False, None, []

    # The conversation with Heddle.

    def _send(self, message: dict[str, Any]) -> None:
        assert self._socket
        self._socket.send(json.dumps(message, separators=(",", ":")).encode())

    def _message(self) -> Optional[dict[str, Any]]:
        """Returns the next message; None: the episode has ended without one."""
        assert self._socket and self._process
        while not self._socket.poll(200):
            if self._process.poll() is not None:
                self._errors.seek(0)
                text, status = self._errors.read().strip(), self._process.returncode
                self._stop()
                raise HeddleError(text or f"heddle ended with status {status}", status)
            if select.select([self._process.stdout], [], [], 0)[0]:
                return None
        return json.loads(self._socket.recv())

    def _receive(self) -> None:
        """Receives messages until there is something to decide or the episode is over."""
        while True:
            message = self._message()
            if message and message["type"] == "hello":
                self.cluster = Cluster(message)
                # Messages about other events would have nothing to choose.
                self._send({"request": 0, "protocol": PROTOCOL, "events": ["job_submitted"]})
                continue
            if message:
                self._pass_time(message["now"])
            if not message or message["type"] == "bye":
                if message:
                    self._send({})
                self._take_summary()
                if self._summary["status"] == "aborted":
                    raise HeddleError(f"the run of seed {self._seed} was aborted: "
                                      + self._summary["reason"], 4)
                # Heddle sends no message when the last jobs end.
                self._unfinished = sum(
                    job["finish_s"] - (job.get("eligible_s") or job["submit_s"])
                    for job in self._summary["jobs"] if job["finish_s"] is not None) - self._paid
                return
            for event in message["events"]:
                if event["type"] == "job_submitted":
                    self._jobs_left.add(event["job"])
            self.cluster.update(message)
            self._number = message["request"]
            self._step = Step(self.cluster, message)
            self._note_finished({ended["job"]: ended["ended"] for ended in message["ended"]})
            self._places = self._fitting()
            return

    def _skip(self) -> None:
        """Replies as long as no request fits, because there is nothing to choose."""
        while self._open and not self._places:
            self._reply()

    def _reply(self, again: bool = False) -> None:
        """Replies with the actions of the step, and receives the next one. `again`: before anything
        else happens."""
        assert self._step
        self._step._settle()
        self._send({"request": self._number, "actions": self._step.actions, "again": again})
        self._receive()

    def _has_rules(self) -> bool:
        """Returns whether a launch can change which other requests may start."""
        return any(r.early or r.kind == "am" for r in self.cluster.requests.values())

    def _pass_time(self, now: float) -> None:
        self._unfinished += len(self._jobs_left) * (now - self._now)
        self._now = now

    def _note_finished(self, last_end: dict[int, float]) -> None:
        """Forgets the jobs that ask for nothing and hold nothing any more. `last_end`: when the last
        container of a job ended, which can be long before this message."""
        busy = {c.job for c in self.cluster.containers.values()}
        busy |= {request.job for request in self.cluster.requests.values()}
        for job in self._jobs_left - busy:
            self._unfinished -= self._now - last_end.get(job, self._now)
        self._jobs_left &= busy

    # The requests to choose from.

    def _fitting(self) -> list[tuple[Request, list[Node]]]:
        assert self._step
        found: list[tuple[Request, list[Node]]] = []
        for request in sorted(self._step.pending(), key=lambda r: r.order):
            nodes = self._step.places(request)
            if nodes:
                found.append((request, nodes))
                if len(found) == self.slots:
                    break
        return found

    def _observation(self) -> Any:
        rows = [self._features(request) for request, _ in self._places]
        rows += [[0.0] * len(FEATURES)] * (self.slots - len(rows))
        return _numpy.array(rows, _numpy.float32) if _numpy else rows

    def _features(self, request: Request) -> list[float]:
        job = self.cluster.jobs[request.job]
        left = [r for i in range(len(job.phases))
                if (r := self.cluster.requests.get((request.job, i)))]
        assert self._step
        return [request.size.cores, request.size.memory / 2**30, float(request.pending),
                float(sum(r.pending for r in left)), sum(r.pending * r.size.cores for r in left),
                job.walltime_s or 0.0, self._now - request.submitted,
                sum(node.free.cores for node in self._step.nodes())]

    def _info(self) -> dict[str, Any]:
        """`choices`: number of requests to choose from. `action_mask`: 1 for each allowed action.
        After the episode, `summary` has its results."""
        info: dict[str, Any] = {"now": self._now, "seed": self._seed,
                                "choices": len(self._places), "action_mask": self.action_masks()}
        if not self._open:
            info["summary"] = self._summary
        return info


def _whole(value: Any, name: str, most: int) -> int:
    """Returns the value as an int if it is a whole number from 0 to `most`, also one of numpy."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if isinstance(value, bool) or not 0 <= number <= most:
        raise HeddleError(f"{name}: expected a whole number from 0 to {most}, got {value!r}", 2)
    return number
