#pragma once

#include <boost/container/small_vector.hpp>
#include <span>

#include "common/units.h"
#include "core/model/emulation.h"

namespace heddle {

/// A container that can request CPU from its node.
struct CpuClaim {
  Millicores allocated;    ///< limit under `strict`; weight if the node has too few cores
  int runnable = 0;        ///< threads that want CPU now
  bool suspended = false;  ///< the container gets no CPU, even if threads want it
  bool capped = false;     ///< limited to its allocated cores, also under `shares`
};

struct CpuShare {
  /// Emulated core-seconds per emulated second that each runnable thread gets. The maximum is the
  /// node's speed, because that is what one core of the node provides.
  double per_thread = 0;
  /// True if the container wants CPU and gets less than its threads could use. Reasons: other
  /// containers compete, the node has too few cores for its threads, or it is suspended.
  bool contended = false;
  friend bool operator==(const CpuShare&, const CpuShare&) = default;
};

/// The shares of the claims on a node. The shares of up to 16 claims need no allocation.
using CpuShares = boost::container::small_vector<CpuShare, 16>;

/// Divides the CPU of a node among its containers. The node has `cores` cores of the given speed.
/// Real and simulated runs both use this function as their CPU model. Returns the shares in the
/// order of the claims.
///
/// The method is weighted water-filling. A container can take up to one core for each runnable
/// thread. Under `strict`, or if it is capped, it can also take at most its allocated cores. If the
/// sum exceeds the node's cores, each container gets a share in proportion to its allocated cores.
/// The part of a share that a container can't take is divided among the other containers. A
/// container of 0 cores has the weight of one millicore. The decision which containers share is
/// made in whole numbers. Therefore equal claims get exactly equal shares, and the order of the
/// claims doesn't matter. O(n log n).
///
/// REQUIRES: `cores`, `allocated` and `runnable` are not negative, and `speed` > 0.
CpuShares share_cpu(std::span<const CpuClaim> claims, Millicores cores, double speed,
                    CpuLimit limit);

}  // namespace heddle
