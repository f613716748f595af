"""The events that `step.events` has, as types.

Each is a dictionary with its `type`, the emulated time `t` in seconds, and these fields. Node, job,
phase, task and container are numbers.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

__all__ = ["ActionRefused", "ContainerEnded", "ContainerResumed", "ContainerStarted",
           "ContainerSuspended", "Event", "ExternalLoad", "Heartbeat", "InputLost", "InputsRead",
           "JobSubmitted", "NodeDrained", "NodeLost", "NodeRegistered", "NodeRestored", "PartDone",
           "Wake"]


class _Timed(TypedDict):
    t: float


class _OfNode(_Timed):
    node: int


class _OfContainer(_OfNode):
    container: int
    job: int
    phase: int
    task: int
    attempt: int


class JobSubmitted(_Timed):
    """The job takes part in scheduling from now on."""

    type: Literal["job_submitted"]
    job: int


class NodeRegistered(_OfNode):
    type: Literal["node_registered"]


class _Lost(_OfNode):
    type: Literal["node_lost"]
    reason: str


class NodeLost(_Lost, total=False):
    returns: bool  #: true if the node is expected back


class NodeDrained(_OfNode):
    """The node gets no tasks for a while, because its machine could not start the last ones."""

    type: Literal["node_drained"]
    reason: str


class NodeRestored(_OfNode):
    type: Literal["node_restored"]


class _Beat(_OfNode):
    type: Literal["heartbeat"]
    use: Any  #: cores and memory that containers, and all programs of the node, use


class Heartbeat(_Beat, total=False):
    """Not sent unless asked for. The values have the forms of the journal."""

    estimate: Any  #: of the worker, with the option estimate_at: worker
    containers: list[Any]  #: what each container uses


class ContainerStarted(_OfContainer):
    """Not sent unless asked for."""

    type: Literal["container_started"]


class _Ended(_OfContainer):
    type: Literal["container_ended"]
    outcome: Literal["completed", "failed", "oom_killed", "killed", "lost", "not_started"]
    oom: str  #: whose limit the OOM killer enforced: "none", "container", "node" or "other"
    exit_code: int
    reason: str
    cpu_core_s: float  #: CPU time that the task used
    peak_memory: int  #: bytes
    memory_byte_s: float
    ideal_s: float  #: the task's duration without contention; 0 if it is not known
    contended: bool  #: the task got less CPU than it could use, at some time
    host_lost_s: float  #: time lost because the host was overloaded


class ContainerEnded(_Ended, total=False):
    peak_method: Literal["samples", "limit"]  #: how the peak was found, if the kernel did not say it
    read_local: int  #: bytes that were read from the same node, if there are any; so are the next two
    read_remote: int
    written: int
    memory_fidelity: Any  #: how the memory followed its profile, in a real run
    work_times: Any  #: times of the task's work, in a real run
    transfers: Any  #: its reads and writes, in a real run


class ContainerSuspended(_OfContainer):
    type: Literal["container_suspended"]


class ContainerResumed(_OfContainer):
    type: Literal["container_resumed"]


class InputsRead(_OfContainer):
    """The task has read its inputs, and its work begins. Not sent unless asked for."""

    type: Literal["inputs_read"]


class PartDone(_OfContainer):
    """An executor has completed a part of a stage. Not sent unless asked for."""

    type: Literal["part_done"]
    part: int  #: number, from 1


class InputLost(_OfContainer):
    """The task waits for an input that is no longer where it was. Not sent unless asked for."""

    type: Literal["input_lost"]
    source: int  #: task of the phase that made the input
    object: int
    reason: str


class ActionRefused(_Timed):
    """An action of the last reply that was not carried out. Always sent."""

    type: Literal["action_refused"]
    action: str  #: such as "launch"
    reason: str


class Wake(_Timed):
    """A time for which step.wake_at asked. Not sent unless asked for; decide is called anyway."""

    type: Literal["wake"]


class ExternalLoad(_OfNode):
    """What other programs than containers use on the node has changed."""

    type: Literal["external_load"]
    cores: float
    memory: int


Event = Union[JobSubmitted, NodeRegistered, NodeLost, NodeDrained, NodeRestored, Heartbeat,
              ContainerStarted, ContainerEnded, ContainerSuspended, ContainerResumed, InputsRead,
              PartDone, InputLost, ActionRefused, Wake, ExternalLoad]
