#pragma once

#include <cmath>
#include <cstdint>
#include <map>

#include "common/ids.h"
#include "core/model/event.h"
#include "core/model/resources.h"

namespace heddle {

/// How far an estimate follows each measurement, 0 to 1 (a of equation 1), by resource.
struct Damping {
  double cores = 0, memory = 0;
  friend bool operator==(const Damping&, const Damping&) = default;
};

/// As numbers to estimate with.
UsageEstimate as_estimate(const Resources& resources);
inline UsageEstimate& operator+=(UsageEstimate& a, const UsageEstimate& b) {
  a.cores += b.cores;
  a.memory += b.memory;
  return a;
}

/// What a node uses, estimated from what is measured at each of its heartbeats and what is asked
/// for in between (the usage-slack paper, equations 1 to 4). Twice over: E_containers from what its
/// containers use together, E_node from all that runs there. For each resource, with damping a:
///
/// 1. at heartbeat n with measured use U: E = (1 - a) E + a U
/// 2. a container with request r is allocated: E += r, at once
/// 3. then, at a heartbeat, if E < U: E = U
/// 4. a container ended, n_J heartbeats after it was allocated: E -= (1 - a)^n_J r, not below 0; at
///    the next heartbeat, before 1
///
/// A suspended container's CPU goes as in 4 and comes back as in 2 when it is resumed.
///
/// The same object serves at the master and at a worker: told the same, it says the same. What it
/// costs a heartbeat grows with the containers that ended since the one before.
class UsageEstimator {
 public:
  explicit UsageEstimator(const Damping& damping) : damping_(damping) {}

  void allocated(ContainerId container, const Resources& request);
  // REQUIRES: it was allocated and has not ended.
  void ended(ContainerId container);
  void suspended(ContainerId container);
  void resumed(ContainerId container);
  void heartbeat(const NodeUse& use);

  const NodeEstimate& estimate() const { return estimate_; }
  /// Something is allocated: time counts for it, even where nothing changes.
  bool counting() const { return !residuals_.empty(); }

 private:
  struct Residual {
    UsageEstimate request;
    std::int64_t cores_since = 0, memory_since = 0;  ///< heartbeats before it was allocated
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
  UsageEstimate to_take_;  ///< at the next heartbeat
};

}  // namespace heddle
