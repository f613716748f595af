#pragma once

#include <vector>

#include "common/units.h"

namespace heddle {

/// A corner of a memory profile: from `progress` (0..1) on, use moves in a straight line to the
/// next corner's; before the first and after the last it is flat.
struct MemoryPoint {
  double progress = 0;
  EmuBytes use;
  friend bool operator==(const MemoryPoint&, const MemoryPoint&) = default;
};

/// What one task attempt does, every number drawn: first sleeps, then burns CPU, while its memory
/// follows the profile. Progress is done / total of the ideal times of sleep and CPU.
struct TaskWork {
  CoreTime cpu;                     ///< split evenly over the threads
  int threads = 1;                  ///< at least 1
  EmuTime sleep;                    ///< wall time; not lengthened by suspension
  std::vector<MemoryPoint> memory;  ///< by ascending progress; empty: footprint only
  /// Before all else it waits for InputsReady: it was started before its inputs were complete.
  bool waits = false;
  friend bool operator==(const TaskWork&, const TaskWork&) = default;
};

/// Time the work takes on a node of the given speed when nothing is contended: the sleep, then cpu
/// over min(threads, cores) cores (`strict`), or over all its threads (`shares`).
EmuTime ideal_time(const TaskWork& work, Millicores cores, double speed, bool shares);

}  // namespace heddle
