#pragma once

#include <cstddef>

#include "core/scenario/scenario.h"
#include "trace/import/trace_lines.h"

namespace heddle::trace {

/// The task that in a container of `request` uses over time what the attempt did, which ran on a
/// node of that speed. What a scenario says of usage is meant for cores of speed 1, one for each
/// thread: where the attempt had less, the task wants more at a time, for a shorter time, and takes
/// as long again on such a node; so it does where it waited for a core of a crowded node. It wants
/// no more cores than it can have had, and no more memory than the request: what was measured a
/// little high must not lengthen or kill it.
TaskSpec replay_task(const TraceAttempt& attempt, const Resources& request, double speed,
                     CpuLimit limit);

/// The task in at most so many corners (> 2): where there are more, those go that change least;
/// where there are less, stretches of partial use, which a task burns at their begin and then
/// waits, are divided into parts not shorter than `shortest`.
void fit_corners(TaskSpec& task, std::size_t most, const Resources& request, EmuTime shortest);

}  // namespace heddle::trace
