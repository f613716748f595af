#pragma once

#include "core/model/work.h"

namespace heddle::worker {

/// Work that the process of a container does in one go, between reading and writing.
struct ProcessPart {
  int number = 1;   ///< ascending in a container, from 1
  TaskWork work;    ///< only cpu, threads, sleep, pauses, pause and pieces count
  double from = 0;  ///< progress of the container at the part's begin, 0..1
  double to = 1;
  bool last = true;  ///< the process ends when the part is done
};

/// Returns whether a task has its part from the beginning, since it has nothing to wait for.
inline bool begins_at_once(const TaskWork& work) {
  return !work.waits && work.reads.empty() && work.sources == 0 && !work.executor;
}

/// Returns the part with all the work of a task other than an executor. Writing comes after the
/// part.
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
