#pragma once

#include "common/cpu_line.h"

namespace heddle::task {

/// Why the order, or a part of it, can't be carried out (a few words), nullptr if it can.
const char* unusable(const TaskOrder& order);
const char* unusable(const PartOrder& part);

/// What the container should be charged at `progress` of the task, in real bytes; 0 without points.
std::int64_t memory_at(const TaskOrder& order, double progress);
/// The profile's highest point.
std::int64_t peak_memory(const TaskOrder& order);
/// True if the profile is the same at all times.
bool flat_memory(const TaskOrder& order);

/// A stretch of a part: progress of the task before and after it.
struct Step {
  double from = 0;
  double to = 0;
  bool ends = false;  ///< the task ends with it

  double at(double done) const { return from + (to - from) * done; }
  /// How far it is done at a progress of the task, 0..1; beyond 1 if that is not in it.
  double done_at(double progress) const {
    return progress >= from && progress <= to && from < to ? (progress - from) / (to - from) : 2;
  }
};

// A part is its sleep, then pieces of CPU work (from 0) with a pause after each: of evenly
// interrupted work `pauses` + 1, with none after the last.
Step sleep_step(const PartOrder& part);
int piece_count(const PartOrder& part);
Step piece_step(const PartOrder& part, int piece);
/// The pause after the piece.
Step pause_step(const PartOrder& part, int piece);
/// CPU that each thread burns in the piece; all of them add up to the part's.
std::int64_t piece_cpu_ns(const PartOrder& part, int piece);
std::int64_t pause_ns(const PartOrder& part, int piece);

}  // namespace heddle::task
