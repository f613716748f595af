#pragma once

#include "common/units.h"

namespace heddle::worker {

inline constexpr int kPoliteNice = 15, kUrgentNice = 5;

/// Returns the nice value of the thread that fills memory (worker/memory_filler.h), from the wall
/// time and its own CPU time since it began to fill. The thread leaves the CPU to tasks (nice 15).
/// But if other programs use all CPUs, so that it gets less than a fifth of one, its priority rises
/// (nice 5). Otherwise a task could end before its memory is there. The kernel gives nice 15 about
/// 3.5 % of the weight of a usual thread, and nice 5 about 33 % (sched_prio_to_weight,
/// kernel/sched/core.c).
int fill_nice(real::Duration wall, real::Duration cpu);

}  // namespace heddle::worker
