#pragma once

#include <vector>

#include "common/units.h"
#include "core/model/emulation.h"

namespace heddle {

/// A container that may want CPU of its node.
struct CpuClaim {
  Millicores allocated;  ///< its cap under `strict`, its weight when the node is too small for all
  int runnable = 0;      ///< threads that want CPU now
  bool suspended = false;  ///< wants nothing whatever its threads say
  bool capped = false;     ///< at most its allocated cores, also under `shares`
};

struct CpuShare {
  /// Emulated core-seconds per emulated second that each runnable thread gets: at most the node's
  /// speed, which is what one core of it gives.
  double per_thread = 0;
  /// It wants CPU and gets less than it would with the node to itself: others are in the way, the
  /// node is smaller than what its threads could use, or it is suspended.
  bool contended = false;
  friend bool operator==(const CpuShare&, const CpuShare&) = default;
};

/// Divides a node of `cores` cores of the given speed among its containers; the one CPU model of
/// real and simulated runs. Weighted water-filling: a container can take up to one core for each
/// runnable thread, under `strict` or if capped also at most its allocated cores; where that is
/// more than the node has, all get room in proportion to their allocated cores, and what one can't
/// take is divided among the others. Answers in the order of the claims. Which claims share is
/// decided in whole numbers, so equal claims get equal shares to the last bit and order doesn't
/// matter. A container of 0 cores has the weight of one millicore. O(n log n). REQUIRES: cores,
/// allocated and runnable not negative, speed > 0.
std::vector<CpuShare> share_cpu(const std::vector<CpuClaim>& claims, Millicores cores, double speed,
                                CpuLimit limit);

}  // namespace heddle
