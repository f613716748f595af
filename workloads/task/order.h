#pragma once

#include "common/cpu_line.h"

namespace heddle::task {

/// Returns why the order, or a part of it, can't be carried out (a few words); nullptr if it can.
const char* unusable(const TaskOrder& order);
const char* unusable(const PartOrder& part);

/// Returns the container's charge at `progress` of the task, in real bytes; 0 without points.
std::int64_t memory_at(const TaskOrder& order, double progress);
/// Returns the profile's highest point.
std::int64_t peak_memory(const TaskOrder& order);
/// Returns whether the profile is the same at all times.
bool flat_memory(const TaskOrder& order);

/// A stretch of a part, with the task's progress before and after it.
struct Step {
  double from = 0;
  double to = 0;
  bool ends = false;  ///< the task ends with it

  double at(double done) const { return from + (to - from) * done; }
  /// Returns how far the step is done at a progress of the task, 0..1; beyond 1 if that is not in
  /// it.
  double done_at(double progress) const {
    return progress >= from && progress <= to && from < to ? (progress - from) / (to - from) : 2;
  }
};

// A part is a sleep, then pieces of CPU work (from 0) with a pause after each. Evenly interrupted
// work has `pauses` + 1 pieces, with no pause after the last.
Step sleep_step(const PartOrder& part);
int piece_count(const PartOrder& part);
Step piece_step(const PartOrder& part, int piece);
/// Returns the pause after the piece.
Step pause_step(const PartOrder& part, int piece);
/// Returns the CPU that each thread burns in the piece; all of them add up to the part's.
std::int64_t piece_cpu_ns(const PartOrder& part, int piece);
std::int64_t pause_ns(const PartOrder& part, int piece);

}  // namespace heddle::task
