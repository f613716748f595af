#pragma once

#include <vector>

#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Returns the task's number of threads in a container of so many cores. If the task does not
/// specify it, that is the number that its usage needs, or the container's cores rounded up.
int threads_of(const TaskSpec& task, Millicores cores);

/// Returns the minimum number of threads for the usage: its maximum of cores rounded up, at least
/// 1.
int threads_for(const std::vector<UsageCorner>& usage);

/// Sets the work to follow the usage curve on its threads. Each segment becomes a piece that burns
/// first and pauses then, so on cores of its own the work takes as long as the curve. A curve
/// without memory sets no profile. REQUIRES: at least threads_for() threads.
void follow(const std::vector<UsageCorner>& usage, TaskWork& work);

}  // namespace heddle
