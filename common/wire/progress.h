#pragma once

#include "common/wire/record.h"
#include "core/state/cluster_state.h"

namespace heddle::wire {

/// What the engine knows of a run's progress: jobs, tasks, containers, and of each node what it has
/// and what is allocated. What nodes use, how they are and what happened last is for the driver to
/// add.
Progress progress_of(const ClusterState& state, EmuTime now);

}  // namespace heddle::wire
