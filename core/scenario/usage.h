#pragma once

#include <vector>

#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Returns the task's number of threads in a container of `cores`. If the task does not specify the
/// number, returns threads_for() its usage curve. Without a curve, returns the container's cores,
/// rounded up.
int threads_of(const TaskSpec& task, Millicores cores);

/// Returns the minimum number of threads for a usage curve. This is the largest `cores` in the
/// curve, rounded up, but at least 1.
int threads_for(const std::vector<UsageCorner>& usage);

/// Sets the work so that it follows the usage curve. Each segment of the curve becomes a piece of
/// work, which first uses CPU on all threads and then pauses. If each thread has a core, the work
/// takes as long as the curve. If the curve has no memory, no memory profile is set. REQUIRES: the
/// work has at least threads_for() threads.
void follow(const std::vector<UsageCorner>& usage, TaskWork& work);

}  // namespace heddle
