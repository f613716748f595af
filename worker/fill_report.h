#pragma once

#include <vector>

#include "common/units.h"

namespace heddle::worker {

/// Cost and result of filling the memory of one container.
struct FillReport {
  std::vector<real::Duration> lags;  ///< per large step: from when it was due until it was charged
  real::Bytes highest;               ///< highest charge after a step
  real::Duration cpu{0};             ///< used for filling, and by the task for giving back
};

}  // namespace heddle::worker
