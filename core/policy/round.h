#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "core/policy/draft.h"

namespace heddle {

/// Requests that are alike in what decides whether they can have a container now.
struct RequestGroup {
  Resources size;
  bool early = false;
  bool gang = false;
  bool holds_all = false;  ///< as many nodes as it has containers outstanding
  RequestGroup(const Draft& draft, const Request& request)
      : size(request.resources),
        early(request.early),
        gang(request.gang),
        holds_all(std::ssize(draft.reserved(request.phase)) >= draft.pending(request)) {}
  friend bool operator==(const RequestGroup&, const RequestGroup&) = default;
  friend bool operator<(const RequestGroup& a, const RequestGroup& b) {
    if (a.size != b.size) return ByCoresThenMemory()(a.size, b.size);
    return std::tie(a.early, a.gang, a.holds_all) < std::tie(b.early, b.gang, b.holds_all);
  }
};

/// One search for the next container: what fits while the draft doesn't change, asked once a size.
class Round {
 public:
  /// `node`: the one to be filled; nullopt: any. `reserves`: what fits nowhere may reserve.
  /// `strict`: also what can have nothing is to be looked at.
  Round(const Draft& draft, std::optional<NodeId> node, bool reserves, bool strict)
      : draft_(draft),
        node_(node),
        free_(node ? draft.free(*node) : Resources{}),
        reserves_(reserves),
        strict_(strict) {}

  const Draft& draft() const { return draft_; }
  std::optional<NodeId> node() const { return node_; }

  /// On the node, or, where there is none, on some node.
  bool fits(const Resources& size) const;
  bool fits_somewhere(const Resources& size) const;
  /// Requests of the group may come to something: a container, or a reservation.
  bool useful(const RequestGroup& group) const;
  /// Some node could be reserved.
  bool something_to_hold() const;
  /// The draft has changed after all.
  void forget();

 private:
  /// Some node, or the one to be filled, may be reserved for that size.
  bool can_hold(const Resources& size) const;

  const Draft& draft_;
  std::optional<NodeId> node_;
  Resources free_;
  bool reserves_, strict_;
  mutable std::map<Resources, bool, ByCoresThenMemory> somewhere_, holdable_;
};

}  // namespace heddle
