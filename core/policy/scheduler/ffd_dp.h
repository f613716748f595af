#pragma once

#include "core/policy/scheduler/fitness.h"
#include "core/policy/scheduler/request_order.h"

namespace heddle {

/// First fit decreasing by dot product: for the node to be filled with residual C, of the requests
/// R that fit the one with the largest sum_k w_k R_k C_k first, R and C as shares of the cluster's
/// totals. Equal ones go by (priority, submit time, job id, phase), and so do, after all that fit,
/// those that don't (gangs and reservations look beyond the node).
///
/// Source: Panigrahy et al., "Heuristics for Vector Bin Packing", 2011 (dot product); Grandl et
/// al., Tetris, SIGCOMM 2014; baseline of Yao et al., HaSTE, CLOUD 2014. Parameters: cores_weight
/// and memory_weight (w_k, no unit, default 1). Good at: batches of requests of different shape;
/// big ones go first and shapes meet the nodes that have room of that shape. Bad at: small requests
/// wait as long as larger ones fit anywhere, whoever came first; nothing is shared between users or
/// queues; it sees no time, so a long small task can be what the makespan ends with.
class FfdDp : public Scheduler {
 public:
  explicit FfdDp(const Scenario& scenario);

  void refresh(Draft& draft) override;
  /// Each size that is asked for is scored once: O(sizes log sizes), however many requests.
  void in_order(const Round& round, const Visit& visit) override;
  void launched(const Draft& draft, const Request& request) override;
  bool passes(EmuTime) const override { return true; }
  bool by_node() const override { return true; }

 private:
  Fitness::Weights weights_;
  RequestOrder order_;
};

}  // namespace heddle
