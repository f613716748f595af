#pragma once

#include <algorithm>
#include <cmath>

#include "common/units.h"

namespace heddle {

/// What a node has, a container holds or a request asks for.
struct Resources {
  Millicores cores;
  EmuBytes memory;

  friend bool operator==(const Resources&, const Resources&) = default;
  friend Resources operator+(Resources a, const Resources& b) {
    return {a.cores + b.cores, a.memory + b.memory};
  }
  friend Resources operator-(Resources a, const Resources& b) {
    return {a.cores - b.cores, a.memory - b.memory};
  }
  friend Resources operator*(const Resources& a, std::int64_t n) {
    return {a.cores * n, a.memory * n};
  }
  Resources& operator+=(const Resources& b) { return *this = *this + b; }
  Resources& operator-=(const Resources& b) { return *this = *this - b; }

  /// True if every resource of this is at most that of `room`.
  bool fits_in(const Resources& room) const { return cores <= room.cores && memory <= room.memory; }
};

/// Some fixed order, for resources as a key.
struct ByCoresThenMemory {
  bool operator()(const Resources& a, const Resources& b) const {
    return a.cores != b.cores ? a.cores < b.cores : a.memory < b.memory;
  }
};

/// part / whole; 0 where there is none of it at all.
constexpr double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}
/// The largest share that `part` is of any resource of `whole` (DRF's dominant share).
inline double dominant_share(const Resources& part, const Resources& whole) {
  return std::max(share_of(part.cores.count(), whole.cores.count()),
                  share_of(part.memory.count(), whole.memory.count()));
}
/// The smallest: how free a node is.
inline double least_share(const Resources& part, const Resources& whole) {
  return std::min(share_of(part.cores.count(), whole.cores.count()),
                  share_of(part.memory.count(), whole.memory.count()));
}
/// Both added up.
inline double summed_share(const Resources& part, const Resources& whole) {
  return share_of(part.cores.count(), whole.cores.count()) +
         share_of(part.memory.count(), whole.memory.count());
}

/// Cores in use on the average of a time, to the nearest millicore; none of no time.
inline Millicores average_cores(CoreTime cpu, EmuTime span) {
  if (span <= EmuTime(0)) return Millicores(0);
  return Millicores(
      std::llround(static_cast<double>(cpu.count()) * 1e3 / static_cast<double>(span.count())));
}

/// All of the cluster, in the billionths of it that the next two functions count in. Whole
/// billionths, so that sums of shares are exact.
inline constexpr std::int64_t kWholeCluster = 1'000'000'000;
/// part / whole in billionths, rounded down; 0 if there is none of the whole.
constexpr std::int64_t billionths_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<std::int64_t>(static_cast<__int128>(part) * kWholeCluster / whole)
                   : 0;
}
/// dominant_share in billionths, rounded down.
inline std::int64_t dominant_billionths(const Resources& part, const Resources& whole) {
  return std::max(billionths_of(part.cores.count(), whole.cores.count()),
                  billionths_of(part.memory.count(), whole.memory.count()));
}
/// least_share in billionths, rounded down.
inline std::int64_t least_billionths(const Resources& part, const Resources& whole) {
  return std::min(billionths_of(part.cores.count(), whole.cores.count()),
                  billionths_of(part.memory.count(), whole.memory.count()));
}

/// Resource by resource.
inline Resources min(const Resources& a, const Resources& b) {
  return {std::min(a.cores, b.cores), std::min(a.memory, b.memory)};
}
inline Resources max(const Resources& a, const Resources& b) {
  return {std::max(a.cores, b.cores), std::max(a.memory, b.memory)};
}

}  // namespace heddle
