#pragma once

#include <vector>

#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// As many threads as the task has in a container of so many cores, unless it says otherwise: as
/// many as it needs for its usage, else the container's cores rounded up.
int threads_of(const TaskSpec& task, Millicores cores);

/// Threads without which the usage is impossible: its most cores rounded up, at least 1.
int threads_for(const std::vector<UsageCorner>& usage);

/// Makes the work that which uses what the curve says, on its threads: a piece for each stretch,
/// which burns first and pauses then, so that on cores of its own it takes as long as the curve. A
/// curve without memory is no profile. REQUIRES: at least threads_for() threads.
void follow(const std::vector<UsageCorner>& usage, TaskWork& work);

}  // namespace heddle
