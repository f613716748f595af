#pragma once

#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <boost/container/small_vector.hpp>
#include <functional>
#include <optional>
#include <tuple>

#include "core/policy/base/draft.h"

namespace heddle {

/// Key of requests that are alike in all that decides whether they can have a container now.
struct RequestGroup {
  Resources size;
  PhaseKind kind = PhaseKind::kMap;
  bool early = false;
  bool gang = false;
  bool holds_all = false;  ///< holds as many nodes as it has containers outstanding
  RequestGroup(const Draft& draft, const Request& request)
      : size(request.resources),
        kind(request.kind),
        early(request.early),
        gang(request.gang),
        holds_all(draft.reserved(request) >= draft.pending(request)) {}
  friend bool operator==(const RequestGroup&, const RequestGroup&) = default;
  friend bool operator<(const RequestGroup& a, const RequestGroup& b) {
    if (a.size != b.size) return ByCoresThenMemory()(a.size, b.size);
    return std::tie(a.kind, a.early, a.gang, a.holds_all) <
           std::tie(b.kind, b.early, b.gang, b.holds_all);
  }
};

/// Rules of the policy's parts that apply to requests in a round.
struct RoundRules {
  bool reserves = false;  ///< requests that fit nowhere may reserve
  bool strict = false;    ///< requests that can have nothing are visited too
  /// Returns whether some node could come to hold an executor of that size. If set, executors may
  /// go to any node and may reserve, whatever `reserves` says.
  std::function<bool(const Resources&)> could_hold;
  /// Returns the smallest container for a map that asks for that size. If set, maps may get less
  /// than they ask for.
  std::function<Resources(const Resources&)> least;
  /// Returns whether a request that fits the node may be launched there now, as the share of
  /// application masters, the ramp of early reduces and delay scheduling allow. Asking changes
  /// nothing. If empty, every request may.
  std::function<bool(const Request&, NodeId)> may_launch;
};

/// A single search for the next container. What fits is computed once per size, so the draft must
/// not change during the round.
class Round {
 public:
  /// `node`: the node to be filled; nullopt: any node.
  Round(const Draft& draft, std::optional<NodeId> node, RoundRules rules)
      : draft_(draft),
        node_(node),
        free_(node ? draft.free(*node) : Resources{}),
        rules_(std::move(rules)) {}

  const Draft& draft() const { return draft_; }
  std::optional<NodeId> node() const { return node_; }

  /// Returns true if the size fits on the node to be filled or, without one, on some node.
  bool fits(const Resources& size) const {
    return node_ ? size.fits_in(free_) : fits_somewhere(size);
  }

  bool fits_somewhere(const Resources& size) const {
    auto [it, fresh] = somewhere_.try_emplace(size, false);
    if (fresh) it->second = draft_.free_nodes().first(size).has_value();
    return it->second;
  }

  /// Returns true if the request, which fits the node to be filled, may be launched there now.
  /// REQUIRES: there is such a node.
  bool may_launch(const Request& request) const {
    return !rules_.may_launch || rules_.may_launch(request, *node_);
  }

  /// Returns true if requests of the group may get a container or a reservation.
  bool useful(const RequestGroup& group) const {
    if (rules_.strict || group.gang || fits(group.size)) return true;
    if (group.kind == PhaseKind::kMap && fits_shrunk(group.size)) return true;
    const bool may_hold = !group.early && !group.holds_all;
    if (rules_.could_hold && group.kind == PhaseKind::kExecutor)
      return fits_somewhere(group.size) || (may_hold && rules_.could_hold(group.size));
    return rules_.reserves && may_hold && !fits_somewhere(group.size) && can_hold(group.size);
  }

  /// Returns false if no request can be useful in the round, and true if some may be.
  bool anything() const {
    // Sizes do not show which requests are for executors.
    if (rules_.could_hold || draft_.view().cluster.gang_requests() > 0) return true;
    const auto& sizes = draft_.view().cluster.wanted_sizes();
    return std::any_of(sizes.begin(), sizes.end(), [&](const auto& size) {
      return fits(size.first) || fits_shrunk(size.first) ||
             (rules_.reserves && can_hold(size.first));
    });
  }

  /// Forgets what fits. Call it when the draft has changed after all.
  void forget() {
    somewhere_.clear();
    holdable_.clear();
  }

 private:
  /// Returns true if some node, or the node to be filled, may be reserved for that size.
  bool can_hold(const Resources& size) const {
    if (node_) return true;
    auto [it, fresh] = holdable_.try_emplace(size, false);
    if (fresh) it->second = draft_.free_nodes().to_hold(size).has_value();
    return it->second;
  }

  /// Returns true if a map of that size might fit if it is made smaller.
  bool fits_shrunk(const Resources& size) const { return rules_.least && fits(rules_.least(size)); }

  const Draft& draft_;
  std::optional<NodeId> node_;
  Resources free_;
  RoundRules rules_;
  mutable boost::container::small_flat_map<Resources, bool, 8, ByCoresThenMemory> somewhere_,
      holdable_;
};

}  // namespace heddle
