#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <functional>
#include <optional>
#include <tuple>

#include "core/policy/base/draft.h"

namespace heddle {

/// Key of a group of requests. The requests of a group are equal in all that decides whether they
/// can get a container now.
struct RequestGroup {
  Resources size;
  PhaseKind kind = PhaseKind::kMap;
  bool early = false;
  bool gang = false;
  bool holds_all = false;  ///< has reserved as many nodes as it has containers outstanding
  Where where;
  RequestGroup(const Draft& draft, const Request& request)
      : size(request.resources),
        kind(request.kind),
        early(request.early),
        gang(request.gang),
        holds_all(draft.reserved(request) >= draft.pending(request)),
        where(draft.where(request.phase)) {}
  friend bool operator==(const RequestGroup&, const RequestGroup&) = default;
  friend bool operator<(const RequestGroup& a, const RequestGroup& b) {
    if (a.size != b.size) return BySize()(a.size, b.size);
    return std::tie(a.kind, a.early, a.gang, a.holds_all, a.where) <
           std::tie(b.kind, b.early, b.gang, b.holds_all, b.where);
  }
};

/// Rules of the policy's parts that apply to requests in a round.
struct RoundRules {
  bool reserves = false;  ///< requests that fit nowhere are allowed to reserve nodes
  bool strict = false;    ///< requests that can get nothing are visited too
  /// Returns true if some node could get room for an executor of that size after other containers
  /// end. If this function is set, executors can be placed on any node, and are allowed to reserve
  /// nodes even if `reserves` is false.
  std::function<bool(const Resources&)> could_hold;
  /// Returns the size of the smallest container for a map that requests that size. If this function
  /// is set, maps can get less than they request.
  std::function<Resources(const Resources&)> least;
  /// Returns true if it is known that no node with these labels has room for that size.
  std::function<bool(const Resources&, const Where&)> lacks_labelled_room;
  /// Returns true if a request that fits the node is allowed to be launched there now. The share of
  /// application masters, the ramp of early reduces and delay scheduling decide this. A call
  /// changes nothing. If this function is not set, every request is allowed.
  std::function<bool(const Request&, NodeId)> may_launch;
};

/// Searches once for the next container. A round computes only once for each size whether it fits.
/// Therefore the draft must not change during the round.
class Round {
 public:
  /// Begins a round. `node`: the node to be filled; nullopt if any node can be used.
  Round(const Draft& draft, std::optional<NodeId> node, RoundRules rules)
      : draft_(draft),
        node_(node),
        free_(node ? draft.free(*node) : Resources{}),
        rules_(std::move(rules)) {}

  const Draft& draft() const { return draft_; }
  std::optional<NodeId> node() const { return node_; }

  /// Returns true if the size fits on the node to be filled. If there is no such node, returns true
  /// if the size fits on some node.
  bool fits(const Resources& size) const {
    return node_ ? size.fits_in(free_) : fits_somewhere(size);
  }

  bool fits_somewhere(const Resources& size) const {
    if (const std::optional<bool> fits = draft_.free_nodes().fits_if_watched(size)) return *fits;
    auto [it, fresh] = somewhere_.try_emplace(size, false);
    if (fresh) it->second = draft_.free_nodes().first(size).has_value();
    return it->second;
  }

  /// Returns true if the request is allowed to be launched on the node to be filled now. REQUIRES:
  /// there is such a node, and the request fits it.
  bool may_launch(const Request& request) const {
    return !rules_.may_launch || rules_.may_launch(request, *node_);
  }

  /// Returns true if requests of the group could get a container or a reservation.
  bool useful(const RequestGroup& group) const {
    if (rules_.strict || group.gang) return true;
    if (fits(group.size) && !lacks_labelled_room(group)) return true;
    if (group.kind == PhaseKind::kMap && fits_shrunk(group.size)) return true;
    const bool may_hold = !group.early && !group.holds_all;
    if (rules_.could_hold && group.kind == PhaseKind::kExecutor)
      return fits_somewhere(group.size) || (may_hold && rules_.could_hold(group.size));
    return rules_.reserves && may_hold && !fits_somewhere(group.size) && can_hold(group.size);
  }

  /// Returns false if no request is useful in the round. If it returns true, some request could be
  /// useful.
  bool anything() const {
    // Sizes do not show which requests are for executors.
    if (rules_.could_hold || draft_.view().cluster.gang_requests() > 0) return true;
    const auto& sizes = draft_.view().cluster.wanted_sizes();
    return std::any_of(sizes.begin(), sizes.end(), [&](const auto& size) {
      return fits(size.first) || fits_shrunk(size.first) ||
             (rules_.reserves && !fits_somewhere(size.first) && can_hold(size.first));
    });
  }

  /// Forgets what fits. Call this function if the draft has changed during the round.
  void forget() {
    somewhere_.clear();
    holdable_.clear();
  }

 private:
  bool lacks_labelled_room(const RequestGroup& group) const {
    return !group.where.empty() && rules_.lacks_labelled_room &&
           rules_.lacks_labelled_room(group.size, group.where);
  }

  /// Returns true if a node could be reserved for that size. With a node to be filled, always
  /// returns true.
  bool can_hold(const Resources& size) const {
    if (node_) return true;
    auto [it, fresh] = holdable_.try_emplace(size, false);
    if (fresh) it->second = draft_.free_nodes().to_hold(size).has_value();
    return it->second;
  }

  /// Returns true if a map that requests that size could fit in a smaller container.
  bool fits_shrunk(const Resources& size) const { return rules_.least && fits(rules_.least(size)); }

  const Draft& draft_;
  std::optional<NodeId> node_;
  Resources free_;
  RoundRules rules_;
  mutable boost::container::small_flat_map<Resources, bool, 8, BySize> somewhere_, holdable_;
};

}  // namespace heddle
