#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/result.h"
#include "common/units.h"

namespace heddle {

// What the kernel says of the whole host (man 5 proc).

/// The value of a "Key:   123 kB" line of /proc/meminfo, in bytes.
std::optional<std::int64_t> meminfo_bytes(std::string_view meminfo, std::string_view key);

/// CPU time that all CPUs together have been busy since boot, from /proc/stat: all of its first
/// line but idle and waiting for devices; what it says of guests is in user and nice already.
/// `ticks`: the unit, in parts of a second (sysconf(_SC_CLK_TCK)).
std::optional<real::Duration> busy_time(std::string_view stat, std::int64_t ticks);

struct HostUse {
  real::Duration busy{0};
  real::Bytes memory;  ///< MemTotal less MemAvailable: what nobody else could have
};
/// Reads both files. Errors (kMachine): one can't be read, or says nothing of it.
Result<HostUse> host_use();

}  // namespace heddle
