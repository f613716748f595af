#pragma once

#include "common/units.h"

namespace heddle::sim {

// Points in virtual time. All values change in straight lines, so the time at which a value reaches
// a level can be computed. Times are whole microseconds. They are rounded up, so that the value has
// reached the level at that time.

/// Microseconds that count as no time. A smaller result is a rounding error of 0.
inline constexpr double kTiny = 1e-3;

/// Returns the time in microseconds.
inline double us(EmuTime time) { return static_cast<double>(time.count()); }

/// Returns the time `wait` microseconds after `now`, rounded up. Returns kNever if that is too late
/// for EmuTime.
EmuTime later(EmuTime now, double wait);

/// Returns the first whole microsecond at which a memory use exceeds `limit`. The use is `use`
/// bytes at `now` and grows by `slope` bytes per microsecond. Returns kNever if the use does not
/// grow. REQUIRES: use <= limit.
EmuTime time_above(double use, double slope, EmuBytes limit, EmuTime now);

}  // namespace heddle::sim
