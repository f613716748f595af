#pragma once

#include "cgroup/tree.h"
#include "wire/messages.h"

namespace heddle::worker {

// The kernel's caps of a node and its containers, as pure functions of what the worker plays. With
// pacing they are a cage around tasks that follow their CPU line (docs/architecture.md, CPU), so
// wider than the line and with burst; without pacing, and around a command, which can't follow a
// line, they are the share itself, exact, at the shortest period the kernel takes.

/// Emulated cores that a container may use at once: its threads, under `strict` at most its cores;
/// a command always its cores.
double usable_cores(const wire::Welcome& welcome, const wire::LaunchCommand& launch);

/// 1.1 x cores (exactly the cores without pacing); capacity less what the node's own system uses,
/// in memory with `overhead` for each container on top.
cgroup::NodeCaps node_caps(const wire::Welcome& welcome);

/// 1.2 x usable cores (exactly those without pacing and of a command), never above the node's;
/// request plus overhead in memory, always below the node's, so that the kernel can tell whose
/// limit was hit.
cgroup::ContainerCaps container_caps(const wire::Welcome& welcome,
                                     const wire::LaunchCommand& launch);

/// Of a program outside of the containers: no limit of its own to its memory, which is always below
/// the node's; its CPU is held to its line, without pacing to its cores.
cgroup::ContainerCaps load_caps(const wire::Welcome& welcome, const Resources& load);

}  // namespace heddle::worker
