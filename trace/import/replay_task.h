#pragma once

#include <cstddef>

#include "core/scenario/scenario.h"
#include "trace/import/trace_lines.h"

namespace heddle::trace {

/// Returns a task that, in a container of `request`, has the same usage over time as the attempt,
/// which ran on a node of that speed. Usage in a scenario is stated for cores of speed 1, one for
/// each thread. If the attempt had less than that, or waited for a core of a crowded node, the task
/// asks for more cores in a shorter time and takes as long again on such a node. The task asks for
/// no more cores than the attempt can have had and no more memory than the request, so measurements
/// that are slightly high do not prolong or kill it.
TaskSpec replay_task(const TraceAttempt& attempt, const Resources& request, double speed,
                     CpuLimit limit);

/// Changes the task to have at most `most` corners (> 2). If there are more, those whose removal
/// changes least are removed. If there are fewer, stretches of partial use are divided into parts
/// not shorter than `shortest`, because a task uses the CPU at the beginning of a stretch and then
/// waits.
void fit_corners(TaskSpec& task, std::size_t most, const Resources& request, EmuTime shortest);

}  // namespace heddle::trace
