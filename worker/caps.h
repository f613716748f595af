#pragma once

#include "cgroup/tree.h"
#include "wire/messages.h"

namespace heddle::worker {

// Pure functions for the kernel's caps of a node and its containers. With pacing, tasks follow
// their CPU line (docs/explanation/architecture.md, CPU), and the caps only keep them from using
// much more. These caps are higher than the line and allow bursts. A command can't follow a line.
// For commands, and for all tasks without pacing, the cap is exactly the container's share, and its
// period is 10 ms. The period is longer only if the quota would be below 1 ms.

/// Returns how many emulated cores a container can use at once. This is the number of its threads.
/// Under `strict`, it is at most the number of cores of the container. For a command, it is always
/// the number of cores of the container.
double usable_cores(const wire::Welcome& welcome, const wire::LaunchCommand& launch);

/// Returns the node's caps. The CPU cap is 1.1 x the node's cores with pacing, and exactly its
/// cores without pacing. The memory limit is the node's capacity plus `overhead` for each
/// container. Cores and capacity do not include what the node's own system uses. The weight of the
/// run's group is the scenario's.
cgroup::NodeCaps node_caps(const wire::Welcome& welcome);

/// Returns a container's caps. The CPU cap is 1.2 x its usable cores with pacing, and exactly its
/// usable cores without pacing and for a command. It is never above the node's cap. The memory
/// limit is the container's request plus `overhead`. It is always below the node's limit, because
/// otherwise the kernel could not tell which of the two limits was hit.
cgroup::ContainerCaps container_caps(const wire::Welcome& welcome,
                                     const wire::LaunchCommand& launch);

/// Returns the caps of a program outside of the containers (external load). Only the node's memory
/// limits its memory: its memory limit is just below the node's limit. With pacing, its CPU follows
/// its line, and its CPU cap is the node's cap. Without pacing, the CPU cap is its cores.
cgroup::ContainerCaps load_caps(const wire::Welcome& welcome, const Resources& load);

}  // namespace heddle::worker
