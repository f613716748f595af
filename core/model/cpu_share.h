#pragma once

#include <vector>

#include "common/units.h"
#include "core/model/emulation.h"

namespace heddle {

/// A container that may want CPU from its node.
struct CpuClaim {
  Millicores allocated;    ///< cap under `strict`; weight when the node can't satisfy all
  int runnable = 0;        ///< threads that want CPU now
  bool suspended = false;  ///< the container gets no CPU, whatever `runnable` is
  bool capped = false;     ///< limited to its allocated cores, also under `shares`
};

struct CpuShare {
  /// Emulated core-seconds per emulated second that each runnable thread gets. At most the node's
  /// speed, which one core of the node gives.
  double per_thread = 0;
  /// The container wants CPU and gets less than it would get alone on the node: other containers
  /// compete, the node is smaller than what its threads could use, or it is suspended.
  bool contended = false;
  friend bool operator==(const CpuShare&, const CpuShare&) = default;
};

/// Divides a node of `cores` cores of the given speed among its containers. This is the only CPU
/// model, for real and simulated runs. Returns the shares in the order of the claims.
///
/// The method is weighted water-filling. A container can take up to one core for each runnable
/// thread; under `strict`, or if it is capped, also at most its allocated cores. If the sum exceeds
/// the node's cores, each container gets a share in proportion to its allocated cores, and the
/// others divide what one can't take. A container of 0 cores has the weight of one millicore. Which
/// claims share is decided in whole numbers, so equal claims get equal shares to the last bit, and
/// the order of claims doesn't matter. O(n log n).
///
/// REQUIRES: cores, allocated and runnable not negative, speed > 0.
std::vector<CpuShare> share_cpu(const std::vector<CpuClaim>& claims, Millicores cores, double speed,
                                CpuLimit limit);

}  // namespace heddle
