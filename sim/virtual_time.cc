#include "sim/virtual_time.h"

#include <algorithm>
#include <cmath>

namespace heddle::sim {

EmuTime later(EmuTime now, double wait) {
  if (!(wait < 9e18 - us(now))) return kNever;
  return now + EmuTime(std::max<std::int64_t>(0, std::llround(std::ceil(wait - kTiny))));
}

EmuTime time_above(double use, double slope, EmuBytes limit, EmuTime now) {
  if (slope <= 0) return kNever;
  double wait = std::floor((static_cast<double>(limit.count()) - use) / slope) + 1;
  return wait < 9e18 - us(now) ? now + EmuTime(std::llround(wait)) : kNever;
}

}  // namespace heddle::sim
