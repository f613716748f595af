#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/policy/base/free_index.h"
#include "core/policy/base/policy.h"

namespace heddle {

/// Finds nodes by what they have free. The index is kept from step to step. Within a step, a Draft
/// updates the index after each choice. A reserved ("held") node counts as a node without room.
class FreeNodeIndex {
 public:
  explicit FreeNodeIndex(std::size_t nodes) : open_(nodes), holdable_(nodes) {}

  /// Takes in what changed since the last step. Replaces what the last draft has set by the state.
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

  /// Withholds `change` of the node from every request. A negative change gives resources back. A
  /// node cannot be reserved while something is withheld on it. REQUIRES: the caller calls set()
  /// for the node afterwards.
  void withhold(NodeId node, const Resources& change) {
    const auto it = withheld_.try_emplace(node).first;
    it->second += change;
    if (it->second == Resources{}) withheld_.erase(it);
  }

  /// Returns what is withheld on the node, also if it is not free yet.
  Resources withheld(NodeId node) const {
    if (withheld_.empty()) return {};
    const auto it = withheld_.find(node);
    return it == withheld_.end() ? Resources{} : it->second;
  }

  /// Returns the sum of what is free on all live nodes that are not reserved.
  const Resources& open_free() const { return open_free_; }
  /// Returns the first node that is not reserved and in which `wanted` fits. The search starts at
  /// `from`.
  std::optional<NodeId> first(const Resources& wanted, NodeId from = NodeId{0}) const {
    return open_.first(wanted, from);
  }
  /// Returns the first such node that `may` allows.
  std::optional<NodeId> first(const Resources& wanted, const FreeIndex::May& may) const {
    auto node = first(wanted);
    while (node && !may(*node)) node = first(wanted, NodeId{node->value + 1});
    return node;
  }

  /// Returns whether first() finds a node, if this is known without a search.
  std::optional<bool> fits_if_watched(const Resources& wanted) const {
    return open_.fits_if_watched(wanted);
  }

  /// Returns true if `wanted` fits on the node and the node is not reserved.
  bool has_room(NodeId node, const Resources& wanted) const {
    return wanted.fits_in(open_.free(node));
  }

  /// Returns true if the node is alive and not reserved.
  bool open(NodeId node) const { return open_.free(node).cores >= Millicores(0); }
  /// Returns what is free on the node. REQUIRES: open(node).
  const Resources& free(NodeId node) const { return open_.free(node); }
  /// Returns the open node with the largest free share of all open nodes in which `wanted` fits and
  /// which `may` allows. The free share of a node is the smaller one of cores and memory.
  std::optional<NodeId> most_free(const Resources& wanted, const FreeIndex::May& may) const {
    return open_.best(wanted, may);
  }
  /// Returns the node to reserve for `wanted`. Candidates are the open nodes that are large enough
  /// for `wanted` when they are empty, on which nothing is withheld, and which `could` allows. Of
  /// these, the node with the largest free share is chosen.
  std::optional<NodeId> to_hold(const Resources& wanted, const FreeIndex::May& could = {}) const {
    return holdable_.best(wanted, could);
  }

  /// Returns a number that is larger after some node has got more room.
  std::uint64_t grown() const { return grown_; }

  /// Returns a number that grows by one with each change of a node.
  std::uint64_t changes() const { return first_change_ + changed_.size(); }
  /// Returns the nodes that have changed since changes() returned `since`, in the order of the
  /// changes. Returns nullopt if that is too long ago to be known.
  std::optional<std::span<const NodeId>> changed_since(std::uint64_t since) const {
    if (since < first_change_) return std::nullopt;
    return std::span(changed_).subspan(since - first_change_);
  }

  /// Returns the nodes that a draft has set since the last refresh, in the order of the changes.
  const std::vector<NodeId>& touched() const { return touched_; }

 private:
  void put(const Node& node, const Resources& free, bool held) {
    const Resources none{Millicores(-1), EmuBytes(-1)};
    const Resources& allowance = node.spec->allowance;
    const bool open = node.alive && !held;
    const double share = open ? least_share(free, allowance) : -1;
    if (open && !(this->open(node.id) && free.fits_in(open_.free(node.id)))) ++grown_;
    note_change(node.id, open ? free : none);
    if (this->open(node.id)) open_free_ -= open_.free(node.id).totals();
    if (open) open_free_ += free.totals();
    open_.set(node.id, open ? free : none, share);
    const bool holdable = open && withheld(node.id) == Resources{};
    holdable_.set(node.id, holdable ? allowance : none, share);
  }

  void note_change(NodeId node, const Resources& free) {
    constexpr std::size_t kMostChanges = 4096;
    if (open_.free(node) == free) return;
    if (changed_.size() == kMostChanges) {
      changed_.erase(changed_.begin(), changed_.begin() + kMostChanges / 2);
      first_change_ += kMostChanges / 2;
    }
    changed_.push_back(node);
  }

  FreeIndex open_, holdable_;
  std::map<NodeId, Resources> withheld_;
  Resources open_free_;
  std::uint64_t grown_ = 0;
  std::vector<NodeId> changed_;  ///< the newest is the last
  std::uint64_t first_change_ = 0;
  std::vector<NodeId> touched_;  ///< nodes that a draft has set since the last refresh
};

}  // namespace heddle
