#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/result.h"
#include "common/units.h"

namespace heddle {

// Functions that read the kernel's numbers about the whole host (man 5 proc).

/// Returns the value of a "Key:   123 kB" line of /proc/meminfo, in bytes.
std::optional<std::int64_t> meminfo_bytes(std::string_view meminfo, std::string_view key);

/// Returns the sum of the times for which the CPUs have been busy since boot, from the first line
/// of /proc/stat. Idle time and the time of waiting for devices do not count. Guest times are
/// skipped, because the times of user and nice include them. `ticks` is the number of ticks per
/// second (sysconf(_SC_CLK_TCK)).
std::optional<real::Duration> busy_time(std::string_view stat, std::int64_t ticks);

struct HostUse {
  real::Duration busy{0};
  real::Bytes memory;  ///< MemTotal minus MemAvailable
};
/// Reads /proc/stat and /proc/meminfo. Errors (kMachine): a file can't be read, or a number is
/// missing in it.
Result<HostUse> host_use();

}  // namespace heddle
