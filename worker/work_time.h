#pragma once

#include <optional>

#include "common/scale.h"
#include "core/model/event.h"

namespace heddle::worker {

/// Times of a part of a task's work (ProcessPart).
struct PartTimes {
  real::Time begun;
  std::optional<real::Time> done;  ///< when all its work was done, as the task says
  bool disturbed = false;  ///< the part had less than its full rate, or was suspended, at some time
};

/// Returns the time that a part took, beside its ideal time. `noticed` is when the worker noticed
/// that the part was done. The task can't have ended it later, or before it began. Returns nullopt
/// if the part is not to be compared: it was disturbed, it is not done, or its ideal time is 0.
/// Pure.
std::optional<WorkTime> work_time(const PartTimes& part, EmuTime ideal, real::Time noticed,
                                  const Scale& scale);

}  // namespace heddle::worker
