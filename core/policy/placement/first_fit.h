#pragma once

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"
#include "core/policy/placement/node_rank.h"

namespace heddle {

inline constexpr FlagOption kReserve(
    {.name = "reserve",
     .by_default = "false",
     .help = "a request that fits nowhere now reserves a node that could hold it"});
inline constexpr NumberOption kReservableNodes(
    {.name = "reservable_nodes",
     .least = 0,
     .most = 1,
     .by_default = "1",
     .help =
         "share of the nodes that one job can reserve, rounded up; a gang reserves as many as it "
         "needs"});
/// Describes this placement. Every policy has this part.
extern const PartText kNodeFilling;

/// YARN's placement. A container is placed on the node that is offered, if it fits.
///
/// With `reserve`, a request that fits nowhere now reserves an offered node if it would fit there
/// when the node is empty. No other request is placed on that node until the request has a
/// container. A request has at most as many reservations as it has containers outstanding. A node
/// has at most one reservation (docs/reference/policies.md). The containers of a gang are placed
/// all at once over the whole view, or not at all. With `reserve`, a gang that does not fit keeps
/// nodes until it does: enough of them for all its containers, those with the largest free share
/// first. Two gangs never keep nodes at the same time.
class FirstFit {
 public:
  /// `reservable`: share of the nodes that one job can reserve, see kReservableNodes. `rank` must
  /// outlive the object.
  FirstFit(bool reserve, double reservable, const NodeRank& rank)
      : reserve_(reserve),
        reservable_(reservable),
        rank_(rank),
        most_free_(rank.order() == NodeOrder::kMostFree) {}

  bool reserves() const { return reserve_; }
  bool most_free() const { return most_free_; }
  /// Returns whether best_first() changes the order of nodes.
  bool orders() const { return most_free_ || rank_.scores(); }
  /// Returns the nodes in the order in which the containers of a gang fill them.
  std::vector<NodeId> best_first(const Request& request, const Draft& draft,
                                 std::vector<NodeId> nodes) const;
  /// Returns the offered nodes in the order in which they are filled. This is the order of `offers`
  /// or, with `most_free`, the node with the largest free share first.
  std::vector<NodeId> ordered(const Draft& draft, std::vector<NodeId> offers) const;
  /// Returns a node on which a container of the request fits and which `may` allows. Considers all
  /// nodes.
  std::optional<NodeId> find(const Draft& draft, const Request& request,
                             const FreeIndex::May& may) const {
    const Resources& wanted = request.resources;
    if (rank_.scores()) return rank_.best(request, draft, may);
    return most_free_ ? draft.free_nodes().most_free(wanted, may)
                      : draft.free_nodes().first(wanted, may);
  }
  /// Returns a node for each container of a gang, as far as they fit on nodes that `may` allows. If
  /// the list is shorter than the gang, the gang does not fit.
  std::vector<NodeId> gang_places(const Request& request, const Draft& draft,
                                  const FreeIndex::May& may) const;
  /// Keeps nodes for a gang that does not fit now. Exchanges a node on which fewer of its
  /// containers fit than on another, as nodes become free. Does nothing if another gang keeps
  /// nodes. Returns true if a reservation has changed.
  bool keep_for_gang(const Request& request, Draft& draft) const;
  /// Makes a reservation for a request that fits nowhere: of the offered node or, if there is none,
  /// of the node with the largest free share. Returns true if it reserved a node.
  bool reserve(const Request& request, std::optional<NodeId> offered, Draft& draft) const;

 private:
  /// Returns true if the job has reserved as many nodes as one job can, gangs aside.
  bool at_limit(JobId job, const Draft& draft) const;

  bool reserve_;
  double reservable_;
  const NodeRank& rank_;
  bool most_free_;
};

}  // namespace heddle
