#include "worker/work_time.h"

#include <algorithm>

namespace heddle::worker {

std::optional<WorkTime> work_time(const PartTimes& part, EmuTime ideal, real::Time noticed,
                                  const Scale& scale) {
  if (part.disturbed || !part.done || ideal <= EmuTime(0)) return std::nullopt;
  const real::Time done = std::clamp(*part.done, std::min(part.begun, noticed), noticed);
  return WorkTime{ideal, scale.to_emulated(done - part.begun)};
}

}  // namespace heddle::worker
