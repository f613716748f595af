#pragma once

#include <map>
#include <vector>

#include "core/policy/base/free_index.h"
#include "core/policy/base/policy.h"

namespace heddle {

/// Searchable index of what each node has free, kept from step to step. Within a step, a Draft
/// keeps it at what its choices leave. A held (reserved) node counts as having no room for anybody.
class FreeNodeIndex {
 public:
  explicit FreeNodeIndex(std::size_t nodes) : open_(nodes), holdable_(nodes) {}

  /// Takes in what changed since the last step, and forgets what a draft has set since.
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

  /// Keeps that much of the node from every request until it is given back (a negative change). A
  /// node with something withheld cannot be reserved. REQUIRES: the caller calls set() for the node
  /// afterwards.
  void withhold(NodeId node, const Resources& change) {
    const auto it = withheld_.try_emplace(node).first;
    it->second += change;
    if (it->second == Resources{}) withheld_.erase(it);
  }

  /// Returns what is withheld on the node, whether or not it is free yet.
  Resources withheld(NodeId node) const {
    if (withheld_.empty()) return {};
    const auto it = withheld_.find(node);
    return it == withheld_.end() ? Resources{} : it->second;
  }

  /// Returns the sum of what is free on all live nodes that nobody holds.
  const Resources& open_free() const { return open_free_; }
  /// Returns the first node that nobody holds, from `from` on, in which `wanted` fits.
  std::optional<NodeId> first(const Resources& wanted, NodeId from = NodeId{0}) const {
    return open_.first(wanted, from);
  }

  /// Returns true if `wanted` fits on the node and nobody holds the node.
  bool has_room(NodeId node, const Resources& wanted) const {
    return wanted.fits_in(open_.free(node));
  }

  /// Returns true if the node is alive and nobody holds it.
  bool open(NodeId node) const { return open_.free(node).cores >= Millicores(0); }
  /// Returns what is free on the node. REQUIRES: open(node).
  const Resources& free(NodeId node) const { return open_.free(node); }
  /// Returns the open node in which `wanted` fits with the largest free share (of the resource of
  /// which it has less).
  std::optional<NodeId> most_free(const Resources& wanted) const { return open_.best(wanted); }
  /// Returns the node to reserve for `wanted`: among the open nodes in which it would fit if they
  /// were empty, the one with the largest free share.
  std::optional<NodeId> to_hold(const Resources& wanted) const { return holdable_.best(wanted); }

  /// Returns the nodes that a draft has set since the last refresh, in that order.
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
  std::vector<NodeId> touched_;  ///< set by a draft since the last refresh
};

}  // namespace heddle
