#pragma once

#include <cstdint>

#include "common/units.h"

namespace heddle::sim {

// Points in virtual time. Everything moves in straight lines, so the time at which it reaches a
// point is known exactly. Times are whole microseconds, rounded up so that the point has been
// reached by then.

/// "Never" as a point in time.
inline constexpr EmuTime kNever{INT64_MAX};

/// Microseconds that count as no time: a result this small is a rounding error of zero.
inline constexpr double kTiny = 1e-3;

/// Returns microseconds.
inline double us(EmuTime time) { return static_cast<double>(time.count()); }

/// Returns the time `wait` microseconds after `now`, rounded up; kNever if that is too far away.
EmuTime later(EmuTime now, double wait);

/// Returns the first whole microsecond at which `use` bytes, growing by `slope` bytes a microsecond
/// from `now` on, exceed `limit`; kNever if they don't grow. REQUIRES: use <= limit.
EmuTime time_above(double use, double slope, EmuBytes limit, EmuTime now);

}  // namespace heddle::sim
