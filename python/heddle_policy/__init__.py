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

    def times_in(self, room: Resources) -> int:
        """Returns how many containers of this size fit in the room."""
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
    #: Numbers of the devices that it holds on its node, by resource.
    devices: dict[str, list[int]] = field(default_factory=dict)

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
        self._limited: list[Request] = []

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
            self._forget(e["container"])
        for c in message["containers"]:
            self._forget(c["container"])
            made = Container(c["container"], c["job"], c["phase"], c["task"], c["attempt"],
                             c["node"], self._size(c), c["state"], c.get("devices", {}))
            self.containers[made.container] = made
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
            self.hold(gone.job, gone.held(), -1)


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
        mine = node.reserved in (None, (request.job, request.phase))
        wide = self.cluster.cluster_free
        return (node.alive and mine and node.has_room(request.size) and request.may_use(node)
                and all(request.size.counts.get(name, 0) <= free for name, free in wide.items())
                and self.allowed(request) and node.node not in request.waits_on)

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
              fixed: bool = False) -> None:
        """Lets Heddle place containers in the order of `key`, the smallest first, once decide() has
        returned. Requests whose key is None get nothing.

        Heddle places as for its own schedulers: under the same options, with reservations, and
        early reduces held back. After each launch, Heddle asks for the order again. If the keys do
        not depend on what jobs hold, `fixed=True` avoids these requests. With `node_key`, a
        container goes to the node with the smallest node_key on which it may start.
        """
        if self._placing:
            raise RuntimeError("step.place was called twice; expected one call with one key")
        self._placing = lambda: {"order": self._order(key, node_key), "reason": reason,
                                 "fixed": fixed}

    def _order(self, key: Key, node_key: Optional[NodeKey]) -> list[list[Any]]:
        nodes = self.nodes()
        keys = [(key(r), r) for r in self._placeable(nodes)]
        order = []
        for _, request in sorted((k for k in keys if k[0] is not None), key=lambda k: k[0]):
            order.append([request.job, request.phase])
            if node_key is not None:
                fitting = [n for n in nodes if self.free(n, request)]
                fitting.sort(key=lambda n: node_key(n, request))
                order[-1].append([n.node for n in fitting])
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


def serve(make: Callable[[], Policy], messages: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the reply to each message. Takes the messages one by one."""
    policy: Optional[Policy] = None
    step: Optional[Step] = None
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
            if message["type"] == "step" or step is None:
                step = Step(policy.cluster, message)
                policy.decide(step)
            else:
                step._go_on(message)
            reply = step._reply(message["request"])
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
