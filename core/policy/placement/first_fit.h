#pragma once

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

inline constexpr SchedulersFlag kReserve(
    {.name = "reserve",
     .by_default = "false",
     .help = "a request that fits nowhere now reserves a node that could hold it"});
enum class NodeOrder { kHeartbeat, kMostFree };
inline constexpr WordOption<NodeOrder> kNodeOrder(
    {.name = "node_order",
     .words = {"heartbeat", "most-free"},
     .by_default = "heartbeat",
     .help = "order in which nodes are filled when several are offered at once"});
/// Describes this placement. Every policy has this part.
extern const PartText kNodeFilling;

/// YARN's placement: a container goes to the node that is offered, if it fits.
///
/// With `reserve`, a request that fits nowhere now, but would fit an offered node if that were
/// empty, reserves that node: nobody else is placed there until the request has a container. A
/// request holds at most as many reservations as it has containers outstanding, and a node has at
/// most one (docs/reference/policies.md). Gang requests are placed all at once over the whole view
/// or not at all, and never reserve.
class FirstFit {
 public:
  FirstFit(bool reserve, bool most_free) : reserve_(reserve), most_free_(most_free) {}

  bool reserves() const { return reserve_; }
  bool most_free() const { return most_free_; }
  /// Returns the offered nodes in the order in which they are to be filled: as offered, or most
  /// free first.
  std::vector<NodeId> ordered(const Draft& draft, std::vector<NodeId> offers) const;
  /// Returns a node on which a container of that size fits, if any node may be used.
  std::optional<NodeId> find(const Draft& draft, const Resources& wanted) const {
    return most_free_ ? draft.free_nodes().most_free(wanted) : draft.free_nodes().first(wanted);
  }
  /// Returns the nodes for the containers of a gang, one entry each: for all of them, or for as
  /// many as fit.
  std::vector<NodeId> gang_places(const Request& request, const Draft& draft) const;
  /// Launches all of a gang, or nothing. Returns false if the gang doesn't fit.
  bool place_gang(const Request& request, Draft& draft) const;
  /// Reserves for a request that fits nowhere: the offered node or, without one, as many nodes as
  /// the request has containers outstanding. Returns true if something was reserved.
  bool reserve(const Request& request, std::optional<NodeId> offered, Draft& draft) const;

 private:
  bool reserve_, most_free_;
};

}  // namespace heddle
