#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/haste/knapsack.h"

namespace heddle {

/// Initial task assignment: plans which tasks fill each node first when a batch of jobs comes to an
/// idle cluster. A node is planned once per batch, at its first offer at which a pending task of
/// the batch fits it. Of the tasks that fit together, the plan takes those that ask for the most of
/// the cluster's resources, added up (fill_room). Of one size, the first in the requests' order go
/// first. Nodes that are offered together are planned in turn, by id. The plan holds for that step
/// only. Not planned: application masters (no tasks), gangs (they look beyond a node), early
/// reduces (they have nothing to do yet), nodes that are reserved.
///
/// Source: initial task assignment of Yao et al., HaSTE, CLOUD 2014.
class InitialPlan {
 public:
  struct Share {
    PhaseId phase;
    int count = 0;
    friend bool operator==(const Share&, const Share&) = default;
  };
  /// Shares in the requests' order; none is empty.
  using Shares = std::vector<Share>;

  explicit InitialPlan(const Resources& unit) : unit_(unit) {}

  /// Starts a new batch: it has no jobs yet, and no node has been planned for it.
  void begin_batch();
  /// Takes in what a job of the batch asks for now.
  void put(const Draft& draft, JobId job) {
    if (!all_planned(draft)) batch_.put(draft, job, 0);
  }
  /// Plans the nodes on offer in the draft's step; the draft is still empty. Tells the draft to
  /// remember the step if a node was planned.
  void make(Draft& draft);
  /// Returns what is planned for the node and not launched yet; nullptr if there is nothing.
  const Shares* of(NodeId node) const;
  /// Notes that a container of the phase was launched there, as planned.
  void took(NodeId node, PhaseId phase);

 private:
  bool all_planned(const Draft& draft) const {
    return planned_.size() == draft.view().cluster.nodes().size();
  }
  /// Returns the nodes on offer that are to be planned, by id.
  std::vector<NodeId> unplanned(const Draft& draft) const;
  /// Calls fill_room() for the cluster; equal nodes in succession are computed once.
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
