#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "common/units.h"
#include "core/model/counts.h"

namespace heddle {

/// An amount of each resource: of a node, of a container or of a request. Code that treats all
/// resources alike uses the functions below, so that it also holds for counted ones.
struct Resources {
  Millicores cores;
  EmuBytes memory;
  Counts counts = {};  ///< of the resources that the cluster counts beside cores and memory

  bool operator==(const Resources&) const = default;

  /// Returns whether `room` has at least this much of every resource, also in single devices.
  bool fits_in(const Resources& room) const {
    return cores <= room.cores && memory <= room.memory &&
           ((counts.none() && room.counts.none()) || counts.fit_in(room.counts));
  }
  /// Returns these requested amounts with the devices of `room` that they get by default
  /// (Counts::placed_in).
  Resources placed_in(const Resources& room) const {
    return {cores, memory, counts.none() ? counts : counts.placed_in(room.counts)};
  }
  /// Returns the amounts without those of single devices, for sums over nodes.
  Resources totals() const { return {cores, memory, counts.totals()}; }
};

/// Calls f(name, amount) for each resource. Amounts are Millicores, EmuBytes and Thousandths.
template <class F>
void each(const Resources& resources, const CountNames& names, const F& f) {
  f("cores", resources.cores);
  f("memory", resources.memory);
  for (std::size_t i = 0; i < names.size(); ++i) f(names[i].name, resources.counts[i]);
}

/// Calls f(a, b) with the amounts of each resource, as whole numbers. Resources of which both have
/// nothing can be left out.
template <class F>
void each_pair(const Resources& a, const Resources& b, const F& f) {
  f(a.cores.count(), b.cores.count());
  f(a.memory.count(), b.memory.count());
  if (a.counts.none() && b.counts.none()) return;
  for (std::size_t i = 0; i < Counts::kMost; ++i) f(a.counts[i].count(), b.counts[i].count());
}

/// Returns f(a, b) of the amounts of each resource, without those of single devices. REQUIRES:
/// f(0, 0) is 0.
template <class F>
Resources combined(const Resources& a, const Resources& b, const F& f) {
  return {Millicores(f(a.cores.count(), b.cores.count())),
          EmuBytes(f(a.memory.count(), b.memory.count())), Counts::combined(a.counts, b.counts, f)};
}

inline Resources operator+(const Resources& a, const Resources& b) {
  return {a.cores + b.cores, a.memory + b.memory, a.counts + b.counts};
}
inline Resources operator-(const Resources& a, const Resources& b) {
  return {a.cores - b.cores, a.memory - b.memory, a.counts - b.counts};
}
inline Resources operator*(const Resources& a, std::int64_t n) {
  return combined(a, {}, [n](std::int64_t x, std::int64_t) { return x * n; });
}
inline Resources& operator+=(Resources& a, const Resources& b) { return a = a + b; }
inline Resources& operator-=(Resources& a, const Resources& b) { return a = a - b; }
/// Return the minimum and the maximum of each resource.
inline Resources min(const Resources& a, const Resources& b) {
  return {std::min(a.cores, b.cores), std::min(a.memory, b.memory), min(a.counts, b.counts)};
}
inline Resources max(const Resources& a, const Resources& b) {
  return {std::max(a.cores, b.cores), std::max(a.memory, b.memory), max(a.counts, b.counts)};
}

/// Returns how much of each resource `free` lacks for the request. If the total is enough but no
/// single device is, that is all that is requested of the resource.
inline Resources lacking(const Resources& request, const Resources& free) {
  Resources lacks = max(request.totals() - free.totals(), Resources{});
  for (std::size_t i = 0; i < Counts::kMost && !request.counts.none(); ++i) {
    Counts one;
    one.set(i, request.counts[i]);
    if (lacks.counts[i] == Thousandths(0) && !one.fit_in(free.counts))
      lacks.counts.set(i, request.counts[i]);
  }
  return lacks;
}

/// Gives resources a fixed order, so that they can be the key of a map: by cores, memory and the
/// other resources.
struct BySize {
  bool operator()(const Resources& a, const Resources& b) const {
    if (a.cores != b.cores) return a.cores < b.cores;
    return a.memory != b.memory ? a.memory < b.memory : a.counts < b.counts;
  }
};

/// Returns part / whole; 0 if `whole` is 0.
constexpr double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

/// The share of the whole cluster, in billionths. Shares in whole billionths have exact sums.
inline constexpr std::int64_t kWholeCluster = 1'000'000'000;
/// Returns part / whole in billionths, rounded down; 0 if `whole` is 0.
constexpr std::int64_t billionths_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<std::int64_t>(static_cast<__int128>(part) * kWholeCluster / whole)
                   : 0;
}

/// Returns the largest of `share(part, whole)` over all resources.
template <class Share>
auto largest_share(const Resources& part, const Resources& whole, const Share& share) {
  auto most = share(part.cores.count(), whole.cores.count());
  each_pair(part, whole,
            [&](std::int64_t x, std::int64_t y) { most = std::max(most, share(x, y)); });
  return most;
}
/// Returns the smallest of `share(part, whole)` over cores, memory, and the other resources of
/// which the whole has any.
template <class Share>
auto smallest_share(const Resources& part, const Resources& whole, const Share& share) {
  auto least = std::min(share(part.cores.count(), whole.cores.count()),
                        share(part.memory.count(), whole.memory.count()));
  if (whole.counts.none()) return least;
  for (std::size_t i = 0; i < Counts::kMost; ++i)
    if (whole.counts[i] > Thousandths(0))
      least = std::min(least, share(part.counts[i].count(), whole.counts[i].count()));
  return least;
}

/// Returns the largest share that `part` has of any resource of `whole` (DRF's dominant share).
inline double dominant_share(const Resources& part, const Resources& whole) {
  return largest_share(part, whole, share_of);
}
/// Returns the share that `part` has of the whole's memory.
inline double memory_share(const Resources& part, const Resources& whole) {
  return share_of(part.memory.count(), whole.memory.count());
}
/// Returns the smallest share that `part` has of any resource of `whole`. If `part` is free, this
/// share tells how free a node is.
inline double least_share(const Resources& part, const Resources& whole) {
  return smallest_share(part, whole, share_of);
}
/// Returns the sum of the shares of all resources.
inline double summed_share(const Resources& part, const Resources& whole) {
  double sum = 0;
  each_pair(part, whole, [&](std::int64_t x, std::int64_t y) { sum += share_of(x, y); });
  return sum;
}
/// Return dominant_share and least_share in billionths, rounded down.
inline std::int64_t dominant_billionths(const Resources& part, const Resources& whole) {
  return largest_share(part, whole, billionths_of);
}
inline std::int64_t least_billionths(const Resources& part, const Resources& whole) {
  return smallest_share(part, whole, billionths_of);
}

/// Returns how often `size` fits into `room`, regardless of other limits. Returns the largest
/// integer if the size is 0.
inline std::int64_t times(const Resources& size, const Resources& room) {
  std::int64_t most = size.counts.none() ? std::numeric_limits<std::int64_t>::max()
                                         : size.counts.times_in(room.counts);
  if (size.cores > Millicores(0)) most = std::min(most, room.cores.count() / size.cores.count());
  if (size.memory > EmuBytes(0)) most = std::min(most, room.memory.count() / size.memory.count());
  return most;
}

/// Returns the mean cores in use over `span`, to the nearest millicore; 0 for an empty span.
inline Millicores average_cores(CoreTime cpu, EmuTime span) {
  if (span <= EmuTime(0)) return Millicores(0);
  return Millicores(
      std::llround(static_cast<double>(cpu.count()) * 1e3 / static_cast<double>(span.count())));
}

}  // namespace heddle
