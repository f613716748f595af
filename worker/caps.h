#pragma once

#include "cgroup/tree.h"
#include "wire/messages.h"

namespace heddle::worker {

// Pure functions for the kernel's caps of a node and its containers. With pacing, tasks follow
// their CPU line (docs/explanation/architecture.md, CPU), and the caps only keep them from using
// much more. They are wider than the line then, and have burst. Without pacing, and for a command,
// which can't follow a line, the caps are the exact share. The period is 10 ms then, and longer
// only if the quota would be below 1 ms.

/// Returns the emulated cores that a container may use at once: as many as it has threads, under
/// `strict` at most its cores. A command may always use its cores.
double usable_cores(const wire::Welcome& welcome, const wire::LaunchCommand& launch);

/// Returns the node's caps. CPU: 1.1 x its cores (exactly its cores without pacing). Memory: its
/// capacity plus `overhead` for each container. Cores and capacity exclude what the node's own
/// system uses.
cgroup::NodeCaps node_caps(const wire::Welcome& welcome);

/// Returns a container's caps. CPU: 1.2 x its usable cores (exactly these without pacing and for a
/// command), never above the node's cap. Memory: its request plus overhead, always below the node's
/// limit, so that the kernel can tell whose limit was hit.
cgroup::ContainerCaps container_caps(const wire::Welcome& welcome,
                                     const wire::LaunchCommand& launch);

/// Returns the caps of a program outside of the containers. Its memory has no limit of its own: the
/// limit is just below the node's. Its CPU follows its line; without pacing, the cap is its cores.
cgroup::ContainerCaps load_caps(const wire::Welcome& welcome, const Resources& load);

}  // namespace heddle::worker
