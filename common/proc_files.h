#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/result.h"
#include "common/units.h"

namespace heddle {

// Figures that the kernel reports about the whole host (man 5 proc).

/// Returns the value of a "Key:   123 kB" line of /proc/meminfo, in bytes.
std::optional<std::int64_t> meminfo_bytes(std::string_view meminfo, std::string_view key);

/// Returns the CPU time that all CPUs together have been busy since boot, from the first line of
/// /proc/stat. Idle time and time waiting for devices do not count. Guest times are skipped because
/// user and nice include them already. `ticks`: ticks per second (sysconf(_SC_CLK_TCK)).
std::optional<real::Duration> busy_time(std::string_view stat, std::int64_t ticks);

struct HostUse {
  real::Duration busy{0};
  real::Bytes memory;  ///< MemTotal minus MemAvailable: memory that is not available to anyone else
};
/// Reads /proc/stat and /proc/meminfo. Errors (kMachine): one of them can't be read or lacks a
/// figure.
Result<HostUse> host_use();

}  // namespace heddle
