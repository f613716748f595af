#pragma once

#include <memory>
#include <optional>

#include "core/policy/reduces/remaining_time.h"

namespace heddle {

/// Where executors go, seen over the whole cluster (policies.md, section 5): one is placed when the
/// scheduler's order comes to its request, on whichever node is chosen, and rides on that node's
/// next reply as a gang's containers do. Where none has room, a node is reserved for it. All other
/// requests go by FirstFit.
class ExecutorPlacement {
 public:
  virtual ~ExecutorPlacement() = default;
  /// Takes in what changed since the last step; may move reservations. Call once a step, before
  /// anything is placed.
  virtual void refresh(Draft& draft) = 0;
  /// The node for one executor of the request, which has room for it now; nullopt: none has.
  virtual std::optional<NodeId> find(const Request& request, const Draft& draft) const = 0;
  /// The node to reserve for it, which nobody holds and which could hold it were it empty; nullopt:
  /// none. REQUIRES: find() has none.
  virtual std::optional<NodeId> to_hold(const Request& request, const Draft& draft) const = 0;
};

/// nullptr: executors go by FirstFit too (`executor_placement: first-fit`). `remaining`: not null
/// where it is reservation-aware; must outlive it, as must the scenario.
std::unique_ptr<ExecutorPlacement> make_executor_placement(const Scenario& scenario,
                                                           const RemainingTime* remaining);

}  // namespace heddle
