#pragma once

#include <cstdint>

#include "common/units.h"

namespace heddle::sim {

// Points in virtual time. What moves does so in straight lines, so when it will be somewhere is
// known exactly; it is a whole microsecond, rounded up so that what was to be done is done.

/// "Never" as a point in time.
inline constexpr EmuTime kNever{INT64_MAX};

/// Microseconds that are no time at all: what rounding makes of nothing.
inline constexpr double kTiny = 1e-3;

/// Microseconds.
inline double us(EmuTime time) { return static_cast<double>(time.count()); }

/// `wait` microseconds from `now` on, rounded up; never if that is beyond all reason.
EmuTime later(EmuTime now, double wait);

/// First whole microsecond at which `use` bytes, growing by `slope` bytes a microsecond from `now`
/// on, are more than `limit`; never if they don't grow. REQUIRES: use <= limit.
EmuTime time_above(double use, double slope, EmuBytes limit, EmuTime now);

}  // namespace heddle::sim
