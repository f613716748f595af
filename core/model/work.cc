#include "core/model/work.h"

#include <algorithm>
#include <cmath>

namespace heddle {

EmuTime ideal_time(const TaskWork& work, Millicores cores, double speed, bool shares) {
  double parallel = work.threads;
  if (!shares) parallel = std::min(parallel, static_cast<double>(cores.count()) / 1e3);
  return work.sleep + work.pause * work.pauses +
         EmuTime(std::llround(static_cast<double>(work.cpu.count()) / (parallel * speed)));
}

}  // namespace heddle
