"""Write scheduling policies for Heddle in Python.

    from heddle_policy import Policy, run

    class Fifo(Policy):
        def decide(self, step):
            step.place(key=lambda r: r.order)

    run(Fifo)

`heddle simulate scenario.yaml --policy exec:./fifo.py` starts the program. The protocol is in
docs/reference/external-policies.md. Cores are numbers, memory is in bytes, times are emulated
seconds. The module needs pyzmq and nothing else.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator, Optional, Union

import zmq

__all__ = ["Cluster", "Container", "Job", "Node", "Policy", "Request", "Resources", "Step", "run"]

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

    def held(self) -> Resources:
        """A suspended container holds all of its resources but the cores."""
        held = self.size.copy()
        if self.state == "suspended":
            held.cores = 0
        return held


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
        self.counted: list[str] = hello["cluster"].get("resources", [])  #: beside cores and memory
        self.nodes = [Node(n["node"], n["name"], n["rack"], n["speed"], Resources(**n["allowance"]))
                      for n in hello["cluster"]["nodes"]]
        self.queues: list[dict[str, Any]] = hello["queues"]
        self.jobs = [Job(j["job"], j["name"], j["queue"], j["user"], j["priority"], j["weight"],
                         j.get("walltime_s"), j["phases"]) for j in hello["jobs"]]
        self.requests: dict[tuple[int, int], Request] = {}
        self.containers: dict[int, Container] = {}
        self.held: dict[int, Resources] = {}  #: by job
        self.am_held = Resources()
        self.total = Resources()  #: of all live nodes

    def _size(self, message: dict[str, Any]) -> Resources:
        return Resources(message["cores"], message["memory"],
                         **{name: message[name] for name in self.counted})

    def hold(self, job: int, phase: int, size: Resources, times: int) -> None:
        self.held.setdefault(job, Resources()).add(size, times)
        if self.jobs[job].phases[phase]["kind"] == "am":
            self.am_held.add(size, times)

    def update(self, message: dict[str, Any]) -> None:
        """Takes in what has changed since the last message."""
        for n in message["nodes"]:
            node = self.nodes[n["node"]]
            self.total.add(node.total, -1)
            node.alive, reserved = n["alive"], n.get("reserved")
            node.free, node.total = Resources(**n["free"]), Resources(**n["total"])
            node.reserved = (reserved["job"], reserved["phase"]) if reserved else None
            self.total.add(node.total)
        for r in message["requests"]:
            key = (r["job"], r["phase"])
            if r["pending"] == 0:
                self.requests.pop(key, None)
                continue
            self.requests[key] = Request(*key, r["kind"], self._size(r),
                                         r["pending"], r["priority"], r["submitted"], r["gang"],
                                         r["early"])
        for e in message["ended"]:
            self._forget(e["container"])
        for c in message["containers"]:
            self._forget(c["container"])
            made = Container(c["container"], c["job"], c["phase"], c["task"], c["attempt"],
                             c["node"], self._size(c), c["state"])
            self.containers[made.container] = made
            self.hold(made.job, made.phase, made.held(), 1)

    def _forget(self, container: int) -> None:
        if gone := self.containers.pop(container, None):
            self.hold(gone.job, gone.phase, gone.held(), -1)


Key = Callable[[Request], Any]
NodeKey = Callable[[Node, Request], Any]


class Step:
    """One call of Policy.decide: what has happened, and the actions to take.

    The actions change the cluster at once, so later choices of the step see earlier ones.
    """

    def __init__(self, cluster: Cluster, message: dict[str, Any]):
        self.cluster = cluster
        self.now: float = message["now"]
        self.events: list[dict[str, Any]] = message["events"]
        self.ended: list[dict[str, Any]] = message["ended"]
        self.anywhere: bool = message["anywhere"]
        self.offers = [cluster.nodes[n] for n in message["offers"]]
        self.actions: list[dict[str, Any]] = []
        self.notes: list[dict[str, Any]] = []
        self._launched: list[tuple[int, int, Resources]] = []

    def nodes(self) -> list[Node]:
        """Returns the nodes on which containers can be placed now, by id."""
        return [n for n in self.cluster.nodes if n.alive] if self.anywhere else self.offers

    def pending(self) -> list[Request]:
        return [r for r in self.cluster.requests.values() if r.pending > 0]

    def free(self, node: Node, request: Request) -> bool:
        """Returns whether a container of the request can be launched on the node now."""
        mine = node.reserved in (None, (request.job, request.phase))
        return node.alive and mine and request.size.fits_in(node.free)

    # Actions. `reason` is shown by `heddle why` and in the journal.

    def launch(self, request: Request, node: Node, reason: str = "") -> None:
        self._act("launch", reason, job=request.job, phase=request.phase, node=node.node)
        request.pending -= 1
        node.free.add(request.size, -1)
        self.cluster.hold(request.job, request.phase, request.size, 1)
        self._launched.append((request.job, request.phase, request.size))

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

    # Helpers that place containers as Heddle's own policies do.

    def allowed(self, request: Request) -> bool:
        """Application masters together hold at most a share of the cluster; one may always run.
        Early reduces wait while a map of their job waits for a container."""
        if request.early and any(r.job == request.job and r.kind == "map" for r in self.pending()):
            return False
        held = self.cluster.am_held
        if request.kind != "am" or (held.cores == 0 and held.memory == 0):
            return True
        more = held.copy()
        more.add(request.size)
        return more.dominant_share(self.cluster.total) <= self.cluster.max_am_share + 1e-9

    def place(self, key: Key, node_key: Optional[NodeKey] = None, reason: str = "fits") -> None:
        """Launches containers until nothing fits. Before each launch, the request with the smallest
        key comes first. On heartbeats, the nodes on offer are filled one after the other. If
        containers can be placed anywhere, each goes to the node with the smallest node_key, by
        default the first one in which it fits."""
        if not self.anywhere:
            for node in self.offers:
                while self._place_one(key, [node], node_key, reason):
                    pass
            return
        nodes = self.nodes()
        while self._place_one(key, nodes, node_key, reason):
            pass

    def _place_one(self, key: Key, nodes: list[Node], node_key: Optional[NodeKey],
                   reason: str) -> bool:
        waiting = [r for r in self._fitting(nodes) if self.allowed(r)]
        while waiting:
            request = min(waiting, key=key)
            if not request.gang:
                fitting = (n for n in nodes if self.free(n, request))
                node = (next(fitting) if node_key is None
                        else min(fitting, key=lambda n: node_key(n, request)))
                self.launch(request, node, reason)
                return True
            if self._place_gang(request, reason):
                return True
            waiting.remove(request)
        return False

    def _fitting(self, nodes: list[Node]) -> list[Request]:
        """Returns the requests that are gangs or fit one of the nodes. Each size is compared once."""
        open_ = [n for n in nodes if n.alive and n.reserved is None]
        held = any(n.reserved for n in nodes)
        known: dict[tuple[Any, ...], bool] = {}
        found = []
        for r in self.pending():
            size = (r.size.cores, r.size.memory, *r.size.counts.values())
            if size not in known:
                known[size] = any(r.size.fits_in(n.free) for n in open_)
            if r.gang or known[size] or (held and any(self.free(n, r) for n in nodes)):
                found.append(r)
        return found

    def _place_gang(self, request: Request, reason: str) -> bool:
        """Launches all containers of a gang, on the first nodes, or none."""
        places = []
        for node in self.cluster.nodes:
            room = node.free.copy()
            while (len(places) < request.pending and self.free(node, request)
                   and request.size.fits_in(room)):
                room.add(request.size, -1)
                places.append(node)
        if len(places) < request.pending:
            return False
        for node in places:
            self.launch(request, node, reason)
        return True

    def _settle(self) -> None:
        # Heddle reports launched containers with the next message, which counts them again.
        for job, phase, size in self._launched:
            self.cluster.hold(job, phase, size, -1)


class Policy:
    """The base class of policies. A new object is made for each run.

    `events`: the kinds of events that lead to a call of decide and are passed to it; None: all that
    matter for most policies. `offers`: "fitting", or "all" to be called also for nodes in which no
    request fits.
    """

    events: Optional[Iterable[str]] = None
    offers: str = "fitting"
    cluster: Cluster

    def begin(self, hello: dict[str, Any]) -> None:
        """Called once, before the first step; self.cluster is there."""

    def decide(self, step: Step) -> None:
        """Decides what to do now, by calling the actions of `step`."""
        raise NotImplementedError

    def end(self, status: str) -> None:
        """Called when the run is over."""


def _answer(policy: Policy, message: dict[str, Any]) -> dict[str, Any]:
    step = Step(policy.cluster, message)
    policy.decide(step)
    step._settle()
    reply = {"request": message["request"], "actions": step.actions}
    if step.notes:
        reply["notes"] = step.notes
    return reply


def serve(make: Callable[[], Policy], messages: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the reply to each message. Takes the messages one by one."""
    policy: Optional[Policy] = None
    for text in messages:
        began = time.perf_counter()
        message = json.loads(text)
        if message["type"] == "hello":
            policy = make()
            policy.cluster = Cluster(message)
            policy.begin(message)
            reply: dict[str, Any] = {"request": 0, "protocol": PROTOCOL, "offers": policy.offers,
                                     "name": type(policy).__name__}
            if policy.events is not None:
                reply["events"] = list(policy.events)
        elif message["type"] == "bye" or policy is None:
            if policy is not None:
                policy.end(message["status"])
            policy, reply = None, {}
        else:
            policy.cluster.update(message)
            reply = _answer(policy, message)
            reply["took_us"] = round((time.perf_counter() - began) * 1e6, 1)
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

    for reply in serve(make, messages()):
        socket.send(reply)
