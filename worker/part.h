#pragma once

#include "core/model/work.h"

namespace heddle::worker {

/// Work that the process of a container does without interruption, between reading inputs and
/// writing outputs.
struct ProcessPart {
  int number = 1;   ///< 1, 2, 3, ... in each container
  TaskWork work;    ///< only cpu, threads, sleep, pauses, pause and pieces are used
  double from = 0;  ///< the container's progress before the part, 0..1
  double to = 1;
  bool last = true;  ///< the process ends when the part is done
};

/// Returns whether a task can start its part at once, because it waits for nothing.
inline bool begins_at_once(const TaskWork& work) {
  return !work.waits && work.reads.empty() && work.sources == 0 && !work.executor;
}

/// Returns the part with all the work of a task that is not an executor. Writing the outputs is not
/// in the part, but comes after it.
inline ProcessPart whole_part(const TaskWork& work) {
  ProcessPart part;
  part.work.cpu = work.cpu;
  part.work.threads = work.threads;
  part.work.sleep = work.sleep;
  part.work.pauses = work.pauses;
  part.work.pause = work.pause;
  part.work.pieces = work.pieces;
  part.last = work.writes.empty();
  return part;
}

}  // namespace heddle::worker
