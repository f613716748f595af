"""An environment for reinforcement learning, with the interface of Gymnasium.

    from heddle.env import HeddleEnv

    env = HeddleEnv("scenarios/quickstart.yaml")
    observation, info = env.reset(seed=1)
    while True:
        action = choose(observation)
        observation, reward, terminated, truncated, info = env.step(action)
        if terminated:
            break

One `heddle simulate --episodes` process serves all episodes. Gymnasium is not needed; if it is
installed, the spaces are Gymnasium's.

The environment asks at each decision which of the first `slots` requests that fit gets the next
container, on the first node in which it fits. An action is a whole number below `slots`, or `slots`
to launch nothing more now. Gangs are not offered. An observation has `slots` rows: the features of these requests, and
zeros where there is no request. The reward is minus the number of unfinished submitted jobs times
the emulated seconds since the last step; its sum is minus the total completion time of all jobs.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from typing import Any, Optional

import zmq
from heddle_policy import PROTOCOL, Cluster, Node, Request, Step

from . import HeddleError, Scenario, _scenario, program

__all__ = ["FEATURES", "HeddleEnv"]

#: The columns of an observation.
FEATURES = ("cores", "memory", "pending", "job_tasks_left", "job_work_left", "waited_s", "free")

try:
    from gymnasium import Env as _Base
    from gymnasium import spaces as _spaces
except ImportError:
    _Base, _spaces = object, None


class HeddleEnv(_Base):  # type: ignore[misc]
    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, scenario: Scenario, slots: int = 8):
        self.slots = slots
        if _spaces:
            self.action_space = _spaces.Discrete(slots + 1)
            self.observation_space = _spaces.Box(0, float("inf"), (slots, len(FEATURES)))
        self._directory = tempfile.TemporaryDirectory(prefix="heddle-")
        endpoint = f"ipc://{self._directory.name}/policy.sock"
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.REP)
        self._socket.linger = 0
        self._socket.bind(endpoint)
        self._file = _scenario(scenario)
        command = [program(), "simulate", self._file.__enter__(), "--episodes",
                   "--policy", f"external={endpoint}+policy_timeout=86400"]
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self._errors, text=True)
        self._open = False  #: an episode is going on
        self._step: Optional[Step] = None

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[dict[str, Any]] = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode. `options`: {"scenario": path} for another scenario."""
        while self._open:  # an episode that the caller gives up runs to its end
            self._first_fit()
            self._reply()
        line = dict(options or {})
        if seed is not None:
            line["seed"] = seed
        assert self._process.stdin
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        self._open, self._now, self._unfinished = True, 0.0, 0.0
        self._jobs_left: dict[int, bool] = {}
        self._receive()
        self._skip()
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if not self._open or self._step is None:
            raise HeddleError("the episode is over; expected reset()", 2)
        self._unfinished = 0.0
        if action < len(self._requests):
            request, node = self._requests[action]
            self._step.launch(request, node, "learned")
            if self._has_rules():
                self._reply(again=True)
            else:
                self._requests = self._fitting()
        else:
            self._requests = []
        self._skip()
        return self._observation(), -self._unfinished, not self._open, False, self._info()

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream:
                stream.close()
        self._socket.close()
        self._context.term()
        self._file.__exit__(None, None, None)
        self._directory.cleanup()

    # The conversation with Heddle.

    def _send(self, message: dict[str, Any]) -> None:
        self._socket.send(json.dumps(message, separators=(",", ":")).encode())

    def _receive(self) -> None:
        """Receives messages until there is something to decide or the episode is over."""
        while True:
            while not self._socket.poll(200):
                if self._process.poll() is not None:
                    self._errors.seek(0)
                    raise HeddleError(self._errors.read().strip(), self._process.returncode)
            message = json.loads(self._socket.recv())
            if message["type"] == "hello":
                self.cluster = Cluster(message)
                self._send({"request": 0, "protocol": PROTOCOL})
                continue
            self._pass_time(message["now"])
            if message["type"] == "bye":
                self._send({})
                assert self._process.stdout
                self.summary = json.loads(self._process.stdout.readline())
                self._open, self._step, self._requests = False, None, []
                return
            for event in message["events"]:
                if event["type"] == "job_submitted":
                    self._jobs_left[event["job"]] = True
            self.cluster.update(message)
            self._number = message["request"]
            self._step = Step(self.cluster, message)
            self._note_finished()
            self._requests = self._fitting()
            return

    def _skip(self) -> None:
        """Replies as long as no request fits, because there is nothing to choose."""
        while self._open and not self._requests:
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

    def _note_finished(self) -> None:
        """Forgets the jobs that ask for nothing and hold nothing any more."""
        busy = {c.job for c in self.cluster.containers.values()}
        busy |= {request.job for request in self.cluster.requests.values()}
        for job in [job for job in self._jobs_left if job not in busy]:
            del self._jobs_left[job]

    # The requests to choose from.

    def _fitting(self) -> list[tuple[Request, Node]]:
        assert self._step
        nodes, found = self._step.nodes(), []
        for request in sorted(self._step.pending(), key=lambda r: r.order):
            node = next((n for n in nodes if self._step.free(n, request)), None)
            if node is not None and not request.gang:
                found.append((request, node))
                if len(found) == self.slots:
                    break
        return found

    def _first_fit(self) -> None:
        while self._requests:
            assert self._step
            self._step.launch(*self._requests[0])
            self._requests = self._fitting()

    def _observation(self) -> list[list[float]]:
        rows = []
        for request, node in self._requests:
            left = [r for r in self.cluster.requests.values() if r.job == request.job]
            rows.append([request.size.cores, request.size.memory / 2**30, float(request.pending),
                         float(sum(r.pending for r in left)),
                         sum(r.pending * r.size.cores for r in left),
                         self._now - request.submitted, node.free.cores])
        return rows + [[0.0] * len(FEATURES)] * (self.slots - len(rows))

    def _info(self) -> dict[str, Any]:
        """`choices`: number of requests to choose from. After the episode, `summary` has its
        results."""
        info: dict[str, Any] = {"now": self._now, "choices": len(self._requests)}
        if not self._open:
            info["summary"] = self.summary
        return info
