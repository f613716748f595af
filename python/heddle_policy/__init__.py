"""Write scheduling policies for Heddle in Python.

    from heddle_policy import Policy, run

    class LastFirst(Policy):
        def key(self, request):
            return -request.job

    run(LastFirst)

`heddle simulate scenario.yaml --policy exec:./last_first.py` starts the program. The protocol is in
docs/reference/external-policies.md. Cores are numbers, memory is in bytes, times are emulated
seconds. The module needs pyzmq and nothing else.
"""

from __future__ import annotations

import difflib
import inspect
import json
import os
import sys
import time
import traceback
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import zmq

from ._record import write_record
from .events import Event

__all__ = ["Cluster", "Container", "Event", "Job", "Node", "Option", "Policy", "Progress", "Request",
           "Resources", "Step", "run"]

PROTOCOL = 1


@dataclass(init=False)
class Resources:
    """Cores, bytes of memory, and the other resources that the cluster counts, by name."""

    cores: float
    memory: int
    counts: dict[str, float]

    def __init__(self, cores: float = 0, memory: int = 0, **counts: float):
        self.cores, self.memory, self.counts = cores, memory, counts

    def fits_in(self, room: Resources) -> bool:
        return (self.cores <= room.cores and self.memory <= room.memory
                and all(n <= room.counts.get(name, 0) for name, n in self.counts.items()))

    def times_in(self, room: Resources) -> int:
        """Returns how many containers of this size fit in the room."""
        if not self.counts and self.cores > 0 and self.memory > 0:  # the usual case, at once
            return min(int((room.cores + 1e-6) // self.cores), room.memory // self.memory)
        parts = [(self.cores, room.cores), (self.memory, room.memory)]
        parts += [(n, room.counts.get(name, 0)) for name, n in self.counts.items()]
        return min((int((whole + 1e-6) // part) for part, whole in parts if part > 0), default=1)

    def add(self, other: Resources, times: int = 1) -> None:
        # Cores are whole thousandths; rounding keeps sums exact.
        self.cores = round(self.cores + times * other.cores, 3)
        self.memory += times * other.memory
        for name, n in other.counts.items():
            self.counts[name] = round(self.counts.get(name, 0) + times * n, 3)

    def copy(self) -> Resources:
        return Resources(self.cores, self.memory, **self.counts)

    def dominant_share(self, whole: Resources) -> float:
        """Returns the largest share of any resource of `whole`. Thousandths are used, so that the
        result is the same as in Heddle to the last bit."""
        cores = round(whole.cores * 1000)
        shares = [round(self.cores * 1000) / cores if cores > 0 else 0.0,
                  self.memory / whole.memory if whole.memory > 0 else 0.0]
        shares += [round(n * 1000) / round(whole.counts[name] * 1000)
                   for name, n in self.counts.items() if whole.counts.get(name, 0) > 0]
        return max(shares)


@dataclass
class Node:
    node: int
    name: str
    rack: str
    speed: float
    allowance: Resources  #: what containers can get on the empty node
    alive: bool = False
    free: Resources = field(default_factory=Resources)
    total: Resources = field(default_factory=Resources)
    reserved: Optional[tuple[int, int]] = None  #: job and phase that have reserved the node
    labels: dict[str, str] = field(default_factory=dict)
    #: What is free of each device, by resource, such as {"gpu": [1.0, 0.4]}.
    free_devices: dict[str, list[float]] = field(default_factory=dict)

    def has_room(self, size: Resources) -> bool:
        """Returns whether a container of this size fits now, also in single devices."""
        return size.fits_in(self.free) and all(
            len(self._devices_for(name, n)) > 0
            for name, n in size.counts.items() if n > 0 and name in self.free_devices)

    def room_for(self, size: Resources, most: int) -> int:
        """Returns how many containers of this size fit now, at most `most`."""
        if not any(n > 0 and name in self.free_devices for name, n in size.counts.items()):
            return min(most, size.times_in(self.free))
        left = replace(self, free=self.free.copy(),
                       free_devices={name: list(free) for name, free in self.free_devices.items()})
        count = 0
        while count < most and left.has_room(size):
            left._take(size, {})
            count += 1
        return count

    def _devices_for(self, resource: str, amount: float) -> list[int]:
        """Returns the devices that Heddle chooses by default: for a part of a device the one with the
        least that is enough, for whole devices those with the lowest numbers. Too little: none."""
        free = self.free_devices[resource]
        if amount < 1:
            fitting = [i for i, share in enumerate(free) if share >= amount]
            return [min(fitting, key=lambda i: (free[i], i))] if fitting else []
        whole = [i for i, share in enumerate(free) if share == 1]
        return whole[:round(amount)] if len(whole) >= amount else []

    def _take(self, size: Resources, devices: dict[str, list[int]]) -> None:
        for name, amount in size.counts.items():
            if amount > 0 and name in self.free_devices:
                for i in devices.get(name, self._devices_for(name, amount)):
                    free = self.free_devices[name]
                    free[i] = round(free[i] - min(amount, 1), 3)
        self.free.add(size, -1)


@dataclass
class Request:
    """What a phase of a job asks for: `pending` containers of this size."""

    job: int
    phase: int
    kind: str
    size: Resources
    pending: int
    priority: int
    submitted: float
    gang: bool  #: all pending containers have to start at once
    early: bool  #: containers that start now wait for the output of maps
    #: The option whose rule lets no container of the request start now; None: there is none.
    held_back: Optional[str] = None
    #: Numbers of the offered nodes on which the request waits for a better node (delay scheduling).
    waits_on: frozenset[int] = frozenset()
    #: Conditions on the labels of nodes: dictionaries with label, values and forbids.
    where: list[dict[str, Any]] = field(default_factory=list)

    def may_use(self, node: Node) -> bool:
        """Returns whether the node has the labels that the request asks for."""
        return all((node.labels.get(rule["label"]) in rule["values"]) != rule["forbids"]
                   for rule in self.where)

    @property
    def order(self) -> tuple[int, float, int, bool, int]:
        """The order of Heddle's own schedulers: priority, submission, job, phase."""
        return (-self.priority, self.submitted, self.job, not self.early, self.phase)


@dataclass
class Container:
    container: int
    job: int
    phase: int
    task: int
    attempt: int
    node: int
    size: Resources
    state: str  #: "allocated", "running" or "suspended"
    started: Optional[float] = None  #: emulated time; None: it has not started
    #: Numbers of the devices that it holds on its node, by resource.
    devices: dict[str, list[int]] = field(default_factory=dict)

    def held(self) -> Resources:
        """A suspended container holds all of its resources but the cores."""
        held = self.size.copy()
        if self.state == "suspended":
            held.cores = 0
        return held


@dataclass
class Progress:
    """How far a job is. Application masters do not count. Work is in emulated core-seconds: the
    cores of a container times its running time."""

    tasks: int
    completed: int
    running: int  #: tasks that have a container, also one that has not started
    remaining: int  #: the other tasks
    work_done: float  #: of completed tasks, and of running ones until now
    #: Of all tasks that are not completed. A task of a phase is expected to take what the completed
    #: ones took on average, or what the hello says with policy_sees=durations. None: no task of some
    #: phase is completed yet.
    work_left: Optional[float]


@dataclass
class Job:
    """Facts that never change. `phases` has the dictionaries of the hello."""

    job: int
    name: str
    queue: str
    user: str
    priority: int
    weight: float
    walltime_s: Optional[float]
    phases: list[dict[str, Any]]


class Cluster:
    """The state of the cluster as Heddle has reported it, and the effect of this step's launches."""

    def __init__(self, hello: dict[str, Any]):
        self.heartbeat_s: float = hello["cluster"]["heartbeat_s"]
        self.dispatch: str = hello["cluster"]["dispatch"]
        self.max_am_share: float = hello["cluster"]["max_am_share"]
        self.reserve: bool = hello["cluster"]["reserve"]
        self.counted: list[str] = hello["cluster"].get("resources", [])  #: beside cores and memory
        #: Amounts that the cluster has as a whole, and what is free of them.
        self.cluster_wide: dict[str, float] = hello["cluster"].get("cluster_wide", {})
        self.cluster_free: dict[str, float] = dict(self.cluster_wide)
        self.nodes = [Node(n["node"], n["name"], n["rack"], n["speed"], Resources(**n["allowance"]),
                           labels=n.get("labels", {}))
                      for n in hello["cluster"]["nodes"]]
        self.queues: list[dict[str, Any]] = hello["queues"]
        self.jobs = [Job(j["job"], j["name"], j["queue"], j["user"], j["priority"], j["weight"],
                         j.get("walltime_s"), j["phases"]) for j in hello["jobs"]]
        self.requests: dict[tuple[int, int], Request] = {}
        self.containers: dict[int, Container] = {}
        self.held: dict[int, Resources] = {}  #: by job
        self.total = Resources(**self.cluster_wide)  #: of all live nodes
        self.now = 0.0  #: of the last message
        self._limited: list[Request] = []
        self._completed: dict[tuple[int, int], set[int]] = {}  #: tasks, by job and phase
        self._took: dict[tuple[int, int], tuple[int, float]] = {}  #: their count and core-seconds
        self._alive: dict[int, set[int]] = {}  #: containers, by job

    def progress(self, job: int) -> Progress:
        """Returns how far the job is, as Heddle has reported it. A task whose output was lost is
        completed until it has a container again."""
        alive = [self.containers[c] for c in self._alive.get(job, ())]
        result = Progress(0, 0, 0, 0, 0.0, 0.0)
        for number, phase in enumerate(self.jobs[job].phases):
            if phase["kind"] == "am":
                continue
            of_phase = [c for c in alive if c.phase == number]
            tasks, done = phase["tasks"], len(self._completed.get((job, number), ()))
            count, took = self._took.get((job, number), (0, 0.0))
            ran = sum(c.size.cores * (self.now - c.started) for c in of_phase
                      if c.started is not None)
            result.tasks += tasks
            result.completed += done
            result.running += len(of_phase)
            result.work_done += took + ran
            expected: Optional[float] = took / count if count else None
            if "durations_s" in phase:
                expected = phase["cores"] * sum(phase["durations_s"]) / tasks
            if expected is None or result.work_left is None:
                result.work_left = None if tasks > done else result.work_left
            else:
                result.work_left += max(0.0, (tasks - done) * expected - ran)
        result.remaining = max(0, result.tasks - result.completed - result.running)
        return result

    def _size(self, message: dict[str, Any]) -> Resources:
        return Resources(message["cores"], message["memory"],
                         **{name: message[name] for name in self.counted})

    def _of_node(self, amounts: Resources) -> Resources:
        """Returns the amounts without those that the cluster has as a whole."""
        return Resources(amounts.cores, amounts.memory, **{
            name: n for name, n in amounts.counts.items() if name not in self.cluster_wide})

    def hold(self, job: int, size: Resources, times: int) -> None:
        self.held.setdefault(job, Resources()).add(size, times)

    def update(self, message: dict[str, Any]) -> None:
        """Takes in what has changed since the last message."""
        self.now = message.get("now", self.now)
        for n in message["nodes"]:
            node = self.nodes[n["node"]]
            self.total.add(self._of_node(node.total), -1)
            node.alive, reserved = n["alive"], n.get("reserved")
            node.free, node.total = Resources(**n["free"]), Resources(**n["total"])
            node.free_devices = n.get("free_devices", {})
            node.reserved = (reserved["job"], reserved["phase"]) if reserved else None
            self.total.add(self._of_node(node.total))
        self.cluster_free = message.get("cluster_free", self.cluster_free)
        for r in message["requests"]:
            key = (r["job"], r["phase"])
            if r["pending"] == 0:
                self.requests.pop(key, None)
                continue
            self.requests[key] = Request(*key, r["kind"], self._size(r),
                                         r["pending"], r["priority"], r["submitted"], r["gang"],
                                         r["early"], where=self._where(*key))
        for e in message["ended"]:
            self._end(e)
        for c in message["containers"]:
            self._forget(c["container"])
            made = Container(c["container"], c["job"], c["phase"], c["task"], c["attempt"],
                             c["node"], self._size(c), c["state"], c.get("started"),
                             c.get("devices", {}))
            self.containers[made.container] = made
            self._alive.setdefault(made.job, set()).add(made.container)
            self._completed.get((made.job, made.phase), set()).discard(made.task)
            self.hold(made.job, made.held(), 1)
        self._limit(message["held_back"])

    def _where(self, job: int, phase: int) -> list[dict[str, Any]]:
        return self.jobs[job].phases[phase].get("where", [])

    def _limit(self, held_back: list[dict[str, Any]]) -> None:
        for request in self._limited:
            request.held_back, request.waits_on = None, frozenset()
        self._limited = [self.requests[h["job"], h["phase"]] for h in held_back]
        for request, held in zip(self._limited, held_back):
            if "nodes" in held:
                request.waits_on = frozenset(held["nodes"])
            else:
                request.held_back = held["by"]

    def _forget(self, container: int) -> None:
        if gone := self.containers.pop(container, None):
            self._alive[gone.job].discard(container)
            self.hold(gone.job, gone.held(), -1)

    def _end(self, ended: dict[str, Any]) -> None:
        self._forget(ended["container"])
        if ended.get("outcome") != "completed":
            return
        phase = (ended["job"], ended["phase"])
        self._completed.setdefault(phase, set()).add(ended["task"])
        cores = self.jobs[phase[0]].phases[phase[1]]["cores"]
        count, took = self._took.get(phase, (0, 0.0))
        ran = ended["ended"] - ended.get("started", ended["ended"])
        self._took[phase] = (count + 1, took + cores * ran)


Key = Callable[[Request], Any]
NodeKey = Callable[[Node, Request], Any]
Choose = Callable[[Request, list[Node]], Optional[Node]]


class Step:
    """One call of Policy.decide: what has happened, and the actions to take.

    The actions change the cluster at once, so later choices of the step see earlier ones.
    """

    def __init__(self, cluster: Cluster, message: dict[str, Any]):
        self.cluster = cluster
        self.now: float = message["now"]
        self.events: list[Event] = message["events"]
        #: Containers that have ended: container, job, phase, task, attempt, node, outcome, started
        #: (if they have) and ended, also of those that started after the last call of decide.
        self.ended: list[dict[str, Any]] = message["ended"]
        self.anywhere: bool = message["anywhere"]
        self.offers = [cluster.nodes[n] for n in message["offers"]]
        self.actions: list[dict[str, Any]] = []
        self.notes: list[dict[str, Any]] = []
        self._launched: list[tuple[int, Resources]] = []
        self._placing: Optional[Callable[[], dict[str, Any]]] = None

    def nodes(self) -> list[Node]:
        """Returns the nodes on which containers can be placed now, by id."""
        return [n for n in self.cluster.nodes if n.alive] if self.anywhere else self.offers

    def pending(self) -> list[Request]:
        return [r for r in self.cluster.requests.values() if r.pending > 0]

    def free(self, node: Node, request: Request) -> bool:
        """Returns whether a container of the request can be launched on the node now, under the rules
        of the policy's options. Rules are known as they were before this step's launches."""
        return (self._may_start(node, request) and node.has_room(request.size)
                and self._cluster_has(request, 1) and self.allowed(request))

    def places(self, request: Request) -> list[Node]:
        """Returns the nodes for the next containers of the request that start together: one node,
        the first on which a container can be launched now; for a gang, a node for each pending
        container. The list is empty if they can't start now."""
        if not request.gang:
            return [n for n in self.nodes() if request.pending > 0 and self.free(n, request)][:1]
        if not self.nodes() or not self.allowed(request):
            return []
        found: list[Node] = []
        # The containers of a gang can go to any node.
        for node in self.cluster.nodes if self._cluster_has(request, request.pending) else []:
            if self._may_start(node, request):
                found += [node] * node.room_for(request.size, request.pending - len(found))
        return found if len(found) == request.pending else []

    def _may_start(self, node: Node, request: Request) -> bool:
        """Returns whether only resources can keep a container of the request off the node."""
        mine = node.reserved is None or node.reserved == (request.job, request.phase)
        return (node.alive and mine and request.may_use(node)
                and node.node not in request.waits_on)

    def _cluster_has(self, request: Request, containers: int) -> bool:
        """Returns whether the resources of the cluster as a whole are enough for containers."""
        return all(request.size.counts.get(name, 0) * containers <= free
                   for name, free in self.cluster.cluster_free.items())

    def allowed(self, request: Request) -> bool:
        """Returns whether the rules of the policy's options let containers of the request start now:
        reduce_ramp_limit for early reduces, max_am_share for application masters."""
        return request.held_back is None

    # Actions. `reason` is shown by `heddle why` and in the journal.

    def launch(self, request: Request, node: Node, reason: str = "",
               devices: Optional[dict[str, list[int]]] = None) -> None:
        """Starts a container. `devices`: which devices of the node it shall hold, such as
        {"gpu": [0, 3]}; default: Heddle chooses."""
        chosen = {"devices": devices} if devices else {}
        self._act("launch", reason, job=request.job, phase=request.phase, node=node.node, **chosen)
        request.pending -= 1
        node._take(request.size, devices or {})
        for name in self.cluster.cluster_free:
            self.cluster.cluster_free[name] -= request.size.counts.get(name, 0)
        self.cluster.hold(request.job, request.size, 1)
        self._launched.append((request.job, request.size))

    def reserve(self, request: Request, node: Node, reason: str = "") -> None:
        self._act("reserve", reason, job=request.job, phase=request.phase, node=node.node)
        node.reserved = (request.job, request.phase)

    def unreserve(self, request: Request, node: Node, reason: str = "") -> None:
        self._act("unreserve", reason, job=request.job, phase=request.phase, node=node.node)
        node.reserved = None

    def suspend(self, container: Container, reason: str = "") -> None:
        self._act("suspend", reason, container=container.container)

    def resume(self, container: Container, reason: str = "") -> None:
        self._act("resume", reason, container=container.container)

    def kill(self, container: Container, reason: str = "") -> None:
        self._act("kill", reason, container=container.container)

    def kill_job(self, job: int, reason: str = "") -> None:
        self._act("kill_job", reason, job=job)

    def wake_at(self, at: float, reason: str = "") -> None:
        """Asks for a call of decide at that time, even if nothing happens."""
        self._act("wake_at", reason, at=at)

    def note(self, about: str, **values: Union[int, float, str]) -> None:
        """Writes values of the policy's own state to the journal."""
        self.notes.append({"about": about, **values})

    def _act(self, type_: str, reason: str, **fields: Any) -> None:
        action = {"type": type_, **fields}
        if reason:
            action["reason"] = reason
        self.actions.append(action)

    # Placing by Heddle's own rules.

    def place(self, key: Key, node_key: Optional[NodeKey] = None, reason: str = "fits",
              fixed: bool = False, node: Optional[Choose] = None) -> None:
        """Lets Heddle place containers in the order of `key`, the smallest first, once decide() has
        returned. Requests whose key is None get nothing.

        Heddle places as for its own schedulers: under the same options, with reservations, and
        early reduces held back. After each launch, Heddle asks for the order again. If the keys do
        not depend on what jobs hold, `fixed=True` avoids these requests. With `node_key`, a
        container goes to the node with the smallest node_key on which it may start. With `node`, it
        goes to the one that node(request, nodes) returns, of the nodes on which it may start now;
        None: the request gets nothing now.
        """
        if self._placing:
            raise RuntimeError("step.place was called twice; expected one call with one key")
        if node_key and node:
            raise ValueError("step.place has both node_key and node; expected one of them")
        self._placing = lambda: {"order": self._order(key, node_key, node), "reason": reason,
                                 "fixed": fixed}

    def _order(self, key: Key, node_key: Optional[NodeKey],
               choose: Optional[Choose]) -> list[list[Any]]:
        nodes = self.nodes()
        keys = [(key(r), r) for r in self._placeable(nodes)]
        order = []
        for _, request in sorted((k for k in keys if k[0] is not None), key=lambda k: k[0]):
            rank: list[Any] = [request.job, request.phase]
            fitting = [n for n in nodes if self.free(n, request)] if node_key or choose else []
            if node_key:
                rank.append([n.node for n in sorted(fitting, key=lambda n: node_key(n, request))])
            if choose and fitting:
                chosen = choose(request, fitting)
                if chosen is None:
                    continue
                rank.append([chosen.node])
            order.append(rank)
        return order

    def _placeable(self, nodes: list[Node]) -> list[Request]:
        """Returns the requests that can start or reserve something. The others would only make the
        reply long. Each size is compared once."""
        if not nodes:
            return []
        places: dict[tuple[Any, ...], int] = {}
        found = []
        for r in self.pending():
            # The containers of a gang can go to any node.
            among = self.cluster.nodes if r.gang else nodes
            size = (r.gang, r.size.cores, r.size.memory, *r.size.counts.values())
            if size not in places:
                places[size] = sum(r.size.times_in(n.free) for n in among if n.alive)
            if places[size] >= (r.pending if r.gang else 1) or self.cluster.reserve:
                found.append(r)
        return found

    def _go_on(self, message: dict[str, Any]) -> None:
        """Takes in that Heddle asks for the rest of the decision."""
        self.now = message["now"]
        self.offers = [self.cluster.nodes[n] for n in message["offers"]]

    def _reply(self, number: int) -> dict[str, Any]:
        reply: dict[str, Any] = {"request": number, "actions": self.actions}
        if self.notes:
            reply["notes"] = self.notes
        if self._placing and self.actions:
            reply["again"] = True  # the order is for the state after the actions
        elif self._placing:
            reply["place"] = self._placing()
        self._settle()
        self.actions, self.notes = [], []
        return reply

    def _settle(self) -> None:
        # Heddle reports launched containers with the next message, which counts them again.
        for job, size in self._launched:
            self.cluster.hold(job, size, -1)
        self._launched = []


@dataclass(frozen=True)
class Option:
    """An option of a policy. The type of its values is that of the default: True or False, a whole
    number, a number, or a text. `min` and `max` are bounds of numbers, and `words` are the texts
    that are allowed, at most 12."""

    default: Union[bool, int, float, str]
    min: Optional[float] = None
    max: Optional[float] = None
    words: Sequence[str] = ()
    unit: str = ""
    help: str = ""

    def _type(self) -> str:
        if isinstance(self.default, bool):
            return "flag"
        if isinstance(self.default, (int, float)):
            return "integer" if isinstance(self.default, int) else "number"
        return "word" if self.words else "text"

    def _declaration(self, name: str) -> dict[str, Any]:
        """Returns the entry of the option in the reply to `describe`."""
        declared: dict[str, Any] = {"name": name, "type": self._type(),
                                    "default": _text(self.default)}
        for key, value in (("min", self.min), ("max", self.max), ("unit", self.unit),
                           ("help", self.help), ("words", list(self.words))):
            if value not in (None, "", []):
                declared[key] = value
        return declared

    def _read(self, name: str, text: str) -> Union[bool, int, float, str]:
        """Returns the value that the text means. Raises ValueError if there is none."""
        type_ = self._type()
        try:
            if type_ == "flag":
                return {"true": True, "false": False}[text]
            if type_ in ("number", "integer"):
                number = float(text)
                if type_ == "integer" and number != int(number):
                    raise ValueError
                if ((self.min is not None and number < self.min)
                        or (self.max is not None and number > self.max)):
                    raise ValueError
                return int(number) if type_ == "integer" else number
            if type_ == "word" and text not in self.words:
                raise ValueError
            return text
        except (KeyError, ValueError):
            raise ValueError(f"option {name}: {text!r} is no value of it; expected "
                             f"{self._declaration(name)}") from None


def _text(value: Union[bool, int, float, str]) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _values(declared: Optional[Mapping[str, Option]], given: Mapping[str, str]) -> dict[str, Any]:
    """Returns the values of the options: of the declared ones with their types, or the texts."""
    if declared is None:
        return dict(given)
    for name in given:
        if name not in declared:
            near = difflib.get_close_matches(name, declared, 1)
            raise ValueError(f"unknown option {name!r}" +
                             (f"; did you mean {near[0]!r}?" if near else "") +
                             f" (known: {', '.join(declared)})")
    return {name: option._read(name, given[name]) if name in given else option.default
            for name, option in declared.items()}


class Policy:
    """The base class of policies. A new object is made for each run.

    A class that overrides `key` decides the order in which requests get containers, one that
    overrides `node` the nodes that they get, and one that overrides `decide` anything.

    `options`: in a class, the options of the policy, such as {"ageing": Option(0.1, min=0)}. In an
    object, their values, such as {"ageing": 0.1}. Users set them by +arg.ageing=0.2. If the class
    has none, any option is accepted, and its value is a text. `environment`: names of environment
    variables on which decisions depend; the results have their values. `events`: the kinds of events
    that lead to a call of decide and are passed to it; None: all that matter for most policies.
    `offers`: "fitting", or "all" to be called also for nodes in which no request fits.
    """

    options: Mapping[str, Any]
    environment: Sequence[str] = ()
    events: Optional[Iterable[str]] = None
    offers: str = "fitting"
    cluster: Cluster

    def begin(self, hello: dict[str, Any]) -> None:
        """Called once, before the first step; self.cluster and self.options are there."""

    def key(self, request: Request) -> Any:
        """Returns the place of the request in the order, the smallest first; None: it gets no
        container now."""
        return request.order

    def node(self, request: Request, nodes: list[Node]) -> Optional[Node]:
        """Returns the node for the next container of the request, of `nodes`, on which it may start
        now; None: it gets none now. `nodes` is not empty."""
        return nodes[0]

    def decide(self, step: Step) -> None:
        """Decides what to do now, by calling the actions of `step`. By default, Heddle places
        containers in the order of `key`, on the nodes that `node` returns."""
        if type(self).key is Policy.key and type(self).node is Policy.node:
            raise NotImplementedError(f"{type(self).__name__} decides nothing; expected a function "
                                      "decide, key or node")
        own_node = type(self).node is not Policy.node
        step.place(self.key, node=self.node if own_node else None)

    @classmethod
    def simulate(cls, scenario: Any, **more: Any) -> Any:
        """Simulates a scenario under this policy, as heddle.simulate does (module heddle, which has
        the parameters)."""
        import heddle

        return heddle.simulate(scenario, policy=cls, **more)

    def end(self, status: str) -> None:
        """Called when the run is over."""


def _declared(policy: type[Policy]) -> Optional[Mapping[str, Option]]:
    return getattr(policy, "options", None)


def _description(policy: type[Policy]) -> dict[str, Any]:
    """Returns the reply to `describe`."""
    words = (inspect.getdoc(policy) or "").split("\n\n")[0]
    if policy.__doc__ is None:  # the base class has another subject
        words = (getattr(sys.modules.get(policy.__module__), "__doc__", "") or "").split("\n\n")[0]
    reply: dict[str, Any] = {"protocol": PROTOCOL, "name": policy.__name__,
                             "help": " ".join(words.split())[:1000]}
    declared = _declared(policy)
    if declared is not None:
        reply["options"] = [option._declaration(name) for name, option in declared.items()]
    return reply


class _Server:
    """Replies to the messages of one run after the other."""

    def __init__(self, make: Callable[[], Policy], record: Optional[str]):
        self.make, self.record = make, record
        self.policy: Optional[Policy] = None
        self.step: Optional[Step] = None
        self.ended: list[dict[str, Any]] = []  # reported while the last decision was completed

    def reply(self, message: dict[str, Any]) -> dict[str, Any]:
        began = time.perf_counter()
        if message["type"] == "describe":
            return _description(type(self.make()))
        if message["type"] == "hello":
            return self._hello(message)
        policy = self.policy
        if message["type"] == "bye" or policy is None:
            if policy is not None:
                policy.end(message["status"])
                self._write_record()
            self.policy = None
            return {}
        policy.cluster.update(message)
        if message["type"] == "step" or self.step is None:
            self.step = Step(policy.cluster, message)
            self.step.ended = self.ended + self.step.ended
            self.ended = []
            policy.decide(self.step)
        else:
            self.ended += message["ended"]
            self.step._go_on(message)
        reply = self.step._reply(message["request"])
        reply["took_us"] = round((time.perf_counter() - began) * 1e6, 1)
        return reply

    def _hello(self, message: dict[str, Any]) -> dict[str, Any]:
        policy = self.policy = self.make()
        self.ended = []
        policy.cluster = Cluster(message)
        policy.options = _values(_declared(type(policy)), message.get("options", {}))
        policy.begin(message)
        self._write_record()
        reply: dict[str, Any] = {"request": 0, "protocol": PROTOCOL, "offers": policy.offers,
                                 "name": type(policy).__name__}
        if policy.events is not None:
            reply["events"] = list(policy.events)
        return reply

    def _write_record(self) -> None:
        if self.record and self.policy:
            write_record(self.record, self.policy.environment)


def serve(make: Callable[[], Policy], messages: Iterator[bytes],
          record: Optional[str] = None) -> Iterator[bytes]:
    """Yields the reply to each message. Takes the messages one by one. After an exception of the
    policy, yields a reply with its traceback, and raises the exception. `record`: a file to which
    facts about this process are written, for the results."""
    server = _Server(make, record)
    for text in messages:
        message = json.loads(text)
        try:
            reply = server.reply(message)
        except Exception:
            number = message.get("request", 0)
            lines = traceback.format_exc()
            yield json.dumps({"request": number, "error": lines[-60000:].strip()}).encode()
            raise
        yield json.dumps(reply, separators=(",", ":")).encode()


def run(make: Callable[[], Policy], endpoint: Optional[str] = None) -> None:
    """Serves Heddle until it ends this process. `make`: the policy's class, or a function that makes
    one. `endpoint`: where to listen, such as "ipc:///tmp/mine.sock"; by default the first argument of
    the program, or what Heddle says when it starts the program."""
    endpoint = endpoint or os.environ.get("HEDDLE_POLICY_ENDPOINT") or (sys.argv + [""])[1]
    if not endpoint:
        sys.exit("expected an endpoint such as ipc:///tmp/mine.sock; or let Heddle start this "
                 "program: heddle simulate SCENARIO --policy exec:./" + os.path.basename(sys.argv[0]))
    socket = zmq.Context.instance().socket(zmq.REP)
    socket.bind(endpoint)

    def messages() -> Iterator[bytes]:
        while True:
            yield socket.recv()

    for reply in serve(make, messages(), os.environ.get("HEDDLE_POLICY_RECORD")):
        socket.send(reply)
