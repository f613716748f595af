#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/haste/knapsack.h"

namespace heddle {

/// Plans which tasks fill each node first when a batch of jobs comes to an idle cluster. A node is
/// planned once per batch, when it is offered for the first time and a pending task of the batch
/// fits it. The plan takes tasks that fit together and whose sum of cores and memory, as shares of
/// the cluster, is largest (fill_room). Of tasks with the same size, those that are first in the
/// order of requests are taken. If several nodes are offered together, they are planned one after
/// the other, by id. The plan is valid only for that step.
///
/// The plan does not include these:
/// - application masters, because they are no tasks
/// - gangs, because they need more than one node
/// - early reduces, because they have no work yet
/// - nodes that are reserved
///
/// Source: initial task assignment of Yao et al., HaSTE, CLOUD 2014.
class InitialPlan {
 public:
  struct Share {
    PhaseId phase;
    int count = 0;
    friend bool operator==(const Share&, const Share&) = default;
  };
  /// Number of tasks by phase, in the order of requests. No entry has a count of 0.
  using Shares = std::vector<Share>;

  explicit InitialPlan(const Resources& unit) : unit_(unit) {}

  /// Starts a new batch, without jobs and without planned nodes.
  void begin_batch();
  /// Takes in what a job of the batch requests now.
  void put(const Draft& draft, JobId job) {
    if (!all_planned(draft)) batch_.put(draft, job, 0);
  }
  /// Plans the nodes that are offered in this step. If it plans a node, it also calls the draft's
  /// remember(). REQUIRES: the draft is empty.
  void make(Draft& draft);
  /// Returns the planned tasks for the node that are not launched yet. Returns nullptr if there are
  /// none.
  const Shares* of(NodeId node) const;
  /// Takes in that a container of the phase was launched on the node as planned.
  void took(NodeId node, PhaseId phase);

 private:
  bool all_planned(const Draft& draft) const {
    return planned_.size() == draft.view().cluster.nodes().size();
  }
  /// Returns the offered nodes that must be planned, ascending by id.
  std::vector<NodeId> unplanned(const Draft& draft) const;
  /// Calls fill_room() for the cluster. If the same problem follows for the next node, reuses the
  /// last solution.
  const std::vector<int>& fill(std::vector<SizeCount> sizes, const Resources& room,
                               const Resources& total);

  struct Problem {
    std::vector<SizeCount> sizes;
    Resources room, total;
    friend bool operator==(const Problem&, const Problem&) = default;
  };

  Resources unit_;
  RequestOrder batch_;
  std::set<NodeId> planned_;       ///< nodes planned for this batch
  std::map<NodeId, Shares> plan_;  ///< for this step
  std::optional<Problem> solved_;  ///< the last problem solved
  std::vector<int> counts_;        ///< the solution of `solved_`
};

}  // namespace heddle
