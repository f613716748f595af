#pragma once

#include <cstddef>

#include "core/scenario/scenario.h"
#include "trace/import/trace_lines.h"

namespace heddle::trace {

/// Returns a task that has the same usage over time as the attempt if it runs in a container of
/// `request`. `speed` is the speed of the node on which the attempt ran. A scenario states usage
/// for cores of speed 1 and one core per thread. If the attempt had less CPU, or waited for a core
/// of a crowded node, the task uses more cores for a shorter time. On a node like that of the
/// attempt, it then takes as long as the attempt did. The task never uses more cores than the
/// attempt can have had, and never more memory than the request. Therefore, slightly high
/// measurements do not prolong or kill the task.
TaskSpec replay_task(const TraceAttempt& attempt, const Resources& request, double speed,
                     CpuLimit limit);

/// Changes the task so that it has at most `most` corners (> 2). If the task has more corners,
/// removes the corners for which the change is smallest. If the task has fewer corners, divides
/// stretches of partial CPU use into parts that are not shorter than `shortest`. A task uses the
/// CPU at the beginning of a stretch and then waits, so shorter parts follow the attempt more
/// closely.
void fit_corners(TaskSpec& task, std::size_t most, const Resources& request, EmuTime shortest);

}  // namespace heddle::trace
