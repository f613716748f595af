#pragma once

#include <cmath>
#include <cstdint>
#include <map>

#include "common/ids.h"
#include "core/model/event.h"
#include "core/model/resources.h"

namespace heddle {

/// Weight of each new measurement in an estimate, for each resource: a in equation 1, from 0 to 1.
struct Damping {
  double cores = 0, memory = 0;
  friend bool operator==(const Damping&, const Damping&) = default;
};

/// Converts resources to the form of an estimate.
UsageEstimate as_estimate(const Resources& resources);
inline UsageEstimate& operator+=(UsageEstimate& a, const UsageEstimate& b) {
  a.cores += b.cores;
  a.memory += b.memory;
  return a;
}

/// Estimates what a node uses. At each heartbeat, the estimate follows the measurements. Between
/// heartbeats, it follows the requests of containers (the usage-slack paper, equations 1 to 4).
/// There are two estimates. E_containers is for the total use of the node's containers. E_node is
/// for everything that runs on the node. For each resource, with damping a:
///
/// 1. at heartbeat n with measured use U: E = (1 - a) E + a U
/// 2. when a container with request r is allocated: E += r, immediately
/// 3. at each heartbeat, after 1, if E < U: E = U
/// 4. when a container ended n_J heartbeats after it was allocated: E -= (1 - a)^n_J r, but not
///    below 0. This happens at the next heartbeat, before 1.
///
/// The CPU of a container is subtracted as in 4 when the container is suspended, and added as in 2
/// when the container is resumed.
///
/// Master and workers use the same class, so equal inputs give equal estimates. The cost of a
/// heartbeat is proportional to the number of containers that have ended since the previous
/// heartbeat.
class UsageEstimator {
 public:
  explicit UsageEstimator(const Damping& damping) : damping_(damping) {}

  void allocated(ContainerId container, const Resources& request);
  // REQUIRES: the container was allocated and has not ended.
  void ended(ContainerId container);
  void suspended(ContainerId container);
  void resumed(ContainerId container);
  void heartbeat(const NodeUse& use);

  const NodeEstimate& estimate() const { return estimate_; }
  /// Returns whether any container is allocated. If so, even a heartbeat without a change affects
  /// the estimate.
  bool counting() const { return !residuals_.empty(); }

 private:
  struct Residual {
    UsageEstimate request;
    std::int64_t cores_since = 0, memory_since = 0;  ///< heartbeats before the allocation
    bool cores_held = true;
  };
  void add(const UsageEstimate& request);
  double left(double damping, std::int64_t since) const {
    return std::pow(1 - damping, static_cast<double>(heartbeats_ - since));
  }

  Damping damping_;
  NodeEstimate estimate_;
  std::int64_t heartbeats_ = 0;
  std::map<ContainerId, Residual> residuals_;
  UsageEstimate to_take_;  ///< to be subtracted at the next heartbeat
};

}  // namespace heddle
