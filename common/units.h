#pragma once

#include <chrono>
#include <cstdint>

#include "common/quantity.h"

namespace heddle {

// Emulated units. Scenarios, core/, the master, the journal and reports use them. --------------

/// Emulated CPU. 1000 is one emulated core (a vcore).
using Millicores = Quantity<struct MillicoresTag>;
/// A resource that a cluster counts beside cores and memory. 1000 is one of it.
using Thousandths = Quantity<struct ThousandthsTag>;
/// Emulated bytes of memory or data.
using EmuBytes = Quantity<struct EmuBytesTag>;
/// Emulated time in microseconds: a span, or a point in time. Points count from the time at which
/// the last worker registered.
using EmuTime = Quantity<struct EmuTimeTag>;
/// "Never" as a point in time.
inline constexpr EmuTime kNever{INT64_MAX};
/// Emulated CPU work in core-microseconds. One core-microsecond is the work of one emulated core in
/// one emulated microsecond.
using CoreTime = Quantity<struct CoreTimeTag>;

constexpr EmuTime emu_seconds(double s) {
  return EmuTime(static_cast<std::int64_t>(s * 1e6 + (s < 0 ? -0.5 : 0.5)));
}
constexpr double to_seconds(EmuTime t) { return static_cast<double>(t.count()) / 1e6; }
constexpr double to_core_seconds(CoreTime t) { return static_cast<double>(t.count()) / 1e6; }
constexpr CoreTime core_seconds(double s) {
  return CoreTime(static_cast<std::int64_t>(s * 1e6 + (s < 0 ? -0.5 : 0.5)));
}

// Real units. The kernel of the host enforces them. Only common/scale.h converts units. ---------

namespace real {
/// Bytes of the host's memory.
using Bytes = Quantity<struct RealBytesTag>;
/// Wall time or CPU time of the host.
using Duration = std::chrono::nanoseconds;
/// CPUs of the host. 1.0 is one CPU that is used all the time.
struct Cpus {
  double value = 0;
  friend constexpr auto operator<=>(Cpus, Cpus) = default;
};
/// A point in time on the host's CLOCK_MONOTONIC.
using Time = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
}  // namespace real

}  // namespace heddle
