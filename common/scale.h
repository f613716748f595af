#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "common/units.h"

namespace heddle {

/// The factors between emulated and real units of one run. All factors are positive. All
/// conversions between emulated and real units are here. See docs/reference/scenario.md,
/// `emulation`.
struct Scale {
  double time = 1;    ///< real seconds per emulated second (time_scale)
  double core = 1;    ///< real CPUs per emulated core of a node of speed 1 (core_fraction)
  double memory = 1;  ///< real bytes per emulated byte of memory (memory_scale)
  double data = 1;    ///< real bytes per emulated byte of data (data_scale)

  /// Converts a time. The result is at most about 100 years, so that it can be added to any clock.
  real::Duration to_real(EmuTime t) const {
    return real::Duration(
        std::llround(std::min(static_cast<double>(t.count()) * 1e3 * time, 4e18)));
  }
  EmuTime to_emulated(real::Duration d) const {
    return EmuTime(std::llround(static_cast<double>(d.count()) / 1e3 / time));
  }
  /// Returns the CPUs that correspond to `cores` on a node of the given speed.
  real::Cpus to_real(Millicores cores, double speed) const {
    return {static_cast<double>(cores.count()) / 1e3 * core * speed};
  }
  /// Returns the real CPU time of the work. The CPU time does not depend on the node's speed. A
  /// core of speed 0.5 gets half the CPU per second, so the same CPU time takes twice as long.
  real::Duration cpu_to_real(CoreTime work) const {
    return real::Duration(std::llround(static_cast<double>(work.count()) * 1e3 * time * core));
  }
  CoreTime cpu_to_emulated(real::Duration cpu) const {
    return CoreTime(std::llround(static_cast<double>(cpu.count()) / 1e3 / (time * core)));
  }
  real::Bytes to_real(EmuBytes b) const {
    return real::Bytes(std::llround(static_cast<double>(b.count()) * memory));
  }
  EmuBytes to_emulated(real::Bytes b) const {
    return EmuBytes(std::llround(static_cast<double>(b.count()) / memory));
  }
  /// Converts an amount of data. For a range of an object, convert the offset and the end of the
  /// range. The real ranges are then adjacent if the emulated ranges are.
  real::Bytes data_to_real(EmuBytes b) const {
    return real::Bytes(std::llround(static_cast<double>(b.count()) * data));
  }
  /// Converts an emulated data rate to a real data rate, in bytes per second.
  double data_rate_to_real(double bytes_per_s) const { return bytes_per_s * data / time; }
};

}  // namespace heddle
