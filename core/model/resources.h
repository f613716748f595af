#pragma once

#include <algorithm>
#include <cmath>

#include "common/units.h"

namespace heddle {

/// An amount of cores and memory: of a node, of a container or of a request.
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

  /// Returns whether `room` has at least these cores and at least this memory.
  bool fits_in(const Resources& room) const { return cores <= room.cores && memory <= room.memory; }
};

/// Gives resources a fixed order, so that they can be the key of a map.
struct ByCoresThenMemory {
  bool operator()(const Resources& a, const Resources& b) const {
    return a.cores != b.cores ? a.cores < b.cores : a.memory < b.memory;
  }
};

/// Returns part / whole; 0 if `whole` is 0.
constexpr double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}
/// Returns the largest share that `part` has of any resource of `whole` (DRF's dominant share).
inline double dominant_share(const Resources& part, const Resources& whole) {
  return std::max(share_of(part.cores.count(), whole.cores.count()),
                  share_of(part.memory.count(), whole.memory.count()));
}
/// Returns the smallest share that `part` has of any resource of `whole`. If `part` is free, this
/// share tells how free a node is.
inline double least_share(const Resources& part, const Resources& whole) {
  return std::min(share_of(part.cores.count(), whole.cores.count()),
                  share_of(part.memory.count(), whole.memory.count()));
}
/// Returns the sum of the share of cores and the share of memory.
inline double summed_share(const Resources& part, const Resources& whole) {
  return share_of(part.cores.count(), whole.cores.count()) +
         share_of(part.memory.count(), whole.memory.count());
}

/// Returns the mean cores in use over `span`, to the nearest millicore; 0 for an empty span.
inline Millicores average_cores(CoreTime cpu, EmuTime span) {
  if (span <= EmuTime(0)) return Millicores(0);
  return Millicores(
      std::llround(static_cast<double>(cpu.count()) * 1e3 / static_cast<double>(span.count())));
}

/// The share of the whole cluster, in billionths. The next functions return shares as whole numbers
/// of billionths, so that sums of shares are exact.
inline constexpr std::int64_t kWholeCluster = 1'000'000'000;
/// Returns part / whole in billionths, rounded down; 0 if `whole` is 0.
constexpr std::int64_t billionths_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<std::int64_t>(static_cast<__int128>(part) * kWholeCluster / whole)
                   : 0;
}
/// Returns dominant_share in billionths, rounded down.
inline std::int64_t dominant_billionths(const Resources& part, const Resources& whole) {
  return std::max(billionths_of(part.cores.count(), whole.cores.count()),
                  billionths_of(part.memory.count(), whole.memory.count()));
}
/// Returns least_share in billionths, rounded down.
inline std::int64_t least_billionths(const Resources& part, const Resources& whole) {
  return std::min(billionths_of(part.cores.count(), whole.cores.count()),
                  billionths_of(part.memory.count(), whole.memory.count()));
}

/// Return the minimum and the maximum of each resource.
inline Resources min(const Resources& a, const Resources& b) {
  return {std::min(a.cores, b.cores), std::min(a.memory, b.memory)};
}
inline Resources max(const Resources& a, const Resources& b) {
  return {std::max(a.cores, b.cores), std::max(a.memory, b.memory)};
}

}  // namespace heddle
