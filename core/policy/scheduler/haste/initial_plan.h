#pragma once

#include <map>
#include <vector>

#include "core/policy/scheduler/request_order.h"

namespace heddle {

/// What the nodes of an idle cluster are to be filled with first: node by node, by id, the tasks
/// that ask for the most of the cluster's resources, added up, of those that fit (fill_room). Of
/// one size the first in the requests' order go first. Not planned: application masters (no tasks),
/// gangs (they look beyond a node), early reduces (they have nothing to do yet), nodes that are
/// held for somebody.
///
/// Source: initial task assignment of Yao et al., HaSTE, CLOUD 2014.
class InitialPlan {
 public:
  struct Share {
    PhaseId phase;
    int count = 0;
    friend bool operator==(const Share&, const Share&) = default;
  };
  /// In the requests' order; none is empty.
  using Shares = std::vector<Share>;

  explicit InitialPlan(const Resources& unit) : unit_(unit) {}

  /// Plans anew, for all that the draft asks for. The plan may only go by what is in the journal:
  /// if it has changed, the draft is to remember this step.
  void make(Draft& draft, const RequestOrder& order);
  /// What is planned for the node; nullptr: nothing, or nothing any more.
  const Shares* of(NodeId node) const;
  /// A container of the phase was launched there, as planned.
  void took(NodeId node, PhaseId phase);
  /// Something else was.
  void drop(NodeId node) { plan_.erase(node); }

 private:
  Resources unit_;
  std::map<NodeId, Shares> plan_;
};

}  // namespace heddle
