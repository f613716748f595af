#pragma once

#include "common/cpu_line.h"

namespace heddle::task {

/// Why the order can't be carried out (a few words), nullptr if it can.
const char* unusable(const TaskOrder& order);

/// What the container should be charged at `progress` of the task, in real bytes; 0 without points.
std::int64_t memory_at(const TaskOrder& order, double progress);
/// The profile's highest point.
std::int64_t peak_memory(const TaskOrder& order);
/// True if the profile is the same at all times.
bool flat_memory(const TaskOrder& order);

/// Progress of the task when `sleep` and `cpu` of its parts are done (0..1 each).
double overall_progress(const TaskOrder& order, double sleep, double cpu);

}  // namespace heddle::task
