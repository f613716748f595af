#pragma once

#include <map>
#include <vector>

#include "core/policy/base/free_index.h"
#include "core/policy/base/policy.h"

namespace heddle {

/// What each node has to give, searchable, kept from step to step; within a step a Draft keeps it
/// at what its choices have left. A node that is held (reserved) has room for nobody here.
class FreeNodeIndex {
 public:
  explicit FreeNodeIndex(std::size_t nodes) : open_(nodes), holdable_(nodes) {}

  /// Takes in what changed since the last step; what a draft set meanwhile is forgotten.
  void refresh(const View& view) {
    touched_.insert(touched_.end(), view.changed_nodes.begin(), view.changed_nodes.end());
    for (NodeId id : touched_) {
      const Node& node = view.cluster.node(id);
      put(node, max(view.cluster.free(id) - withheld(id), Resources{}),
          node.reservation.has_value());
    }
    touched_.clear();
    open_.watch(view.cluster.wanted_sizes());
  }

  void set(const Node& node, const Resources& free, bool held) {
    put(node, free, held);
    touched_.push_back(node.id);
  }

  /// Keeps so much of the node from everybody until it is given back (a negative change). A node of
  /// which something is withheld cannot be reserved. REQUIRES: the node is set anew afterwards.
  void withhold(NodeId node, const Resources& change) {
    const auto it = withheld_.try_emplace(node).first;
    it->second += change;
    if (it->second == Resources{}) withheld_.erase(it);
  }

  /// Returns what is withheld there, whether it is free yet or not.
  Resources withheld(NodeId node) const {
    if (withheld_.empty()) return {};
    const auto it = withheld_.find(node);
    return it == withheld_.end() ? Resources{} : it->second;
  }

  /// What all nodes together have to give that are alive and that nobody holds.
  const Resources& open_free() const { return open_free_; }
  /// The first node that nobody holds, from `from` on, in which it fits.
  std::optional<NodeId> first(const Resources& wanted, NodeId from = NodeId{0}) const {
    return open_.first(wanted, from);
  }

  /// It fits there, and nobody holds the node.
  bool has_room(NodeId node, const Resources& wanted) const {
    return wanted.fits_in(open_.free(node));
  }

  /// It is alive, and nobody holds it.
  bool open(NodeId node) const { return open_.free(node).cores >= Millicores(0); }
  /// REQUIRES: open.
  const Resources& free(NodeId node) const { return open_.free(node); }
  /// The one of them with the largest share free (of the resource of which it has less).
  std::optional<NodeId> most_free(const Resources& wanted) const { return open_.best(wanted); }
  /// The live node that nobody holds, of those in which it would fit were they empty, that has the
  /// largest share free.
  std::optional<NodeId> to_hold(const Resources& wanted) const { return holdable_.best(wanted); }

  /// Nodes that a draft has set since the last refresh, in that order.
  const std::vector<NodeId>& touched() const { return touched_; }

 private:
  void put(const Node& node, const Resources& free, bool held) {
    const Resources none{Millicores(-1), EmuBytes(-1)};
    const Resources& allowance = node.spec->allowance;
    const bool open = node.alive && !held;
    const double share = open ? least_share(free, allowance) : -1;
    if (this->open(node.id)) open_free_ -= open_.free(node.id);
    if (open) open_free_ += free;
    open_.set(node.id, open ? free : none, share);
    const bool holdable = open && withheld(node.id) == Resources{};
    holdable_.set(node.id, holdable ? allowance : none, share);
  }

  FreeIndex open_, holdable_;
  std::map<NodeId, Resources> withheld_;
  Resources open_free_;
  std::vector<NodeId> touched_;  ///< by a draft
};

}  // namespace heddle
