#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"
#include "core/policy/placement/fragmentation.h"

namespace heddle {

enum class NodeOrder {
  kHeartbeat,
  kMostFree,
  kFirstFit,
  kBestFit,
  kWorstFit,
  kDotProduct,
  kPacking,
  kClustering,
  kFgd,
  kRandom
};
inline constexpr WordOption<NodeOrder> kNodeOrder(
    {.name = "node_order",
     .words = {"heartbeat", "most-free", "first-fit", "best-fit", "worst-fit", "dot-product",
               "packing", "clustering", "fgd", "random"},
     .by_default = "heartbeat",
     .help = "which of the nodes with room a container gets; heartbeat, most-free: order in which "
             "nodes are filled when several are offered at once"});
enum class NodeTies { kLowest, kDrawn };
inline constexpr WordOption<NodeTies> kNodeTies(
    {.name = "node_ties",
     .words = {"lowest", "drawn"},
     .by_default = "lowest",
     .help = "which of the nodes with the best score: the one with the lowest id, or the first in "
             "an order that is drawn once from the seed"});
enum class NodeScores { kWhole, kExact };
inline constexpr WordOption<NodeScores> kNodeScores(
    {.name = "node_scores",
     .words = {"whole", "exact"},
     .by_default = "whole",
     .help = "whether scores are rounded down to whole numbers from 0 to 100, which makes ties"});
inline constexpr AutoCountOption kFgdWindow(
    {.name = "fgd_window",
     .least = 1,
     .most = 1000000,
     .words = {"all"},
     .by_default = "all",
     .help = "fgd: number of jobs, the last ones submitted, whose requests count as typical; all: "
             "typical_requests of the scenario, or else the requests of all jobs, which no real "
             "scheduler knows"});

/// Gives each node with room for a request a score (`node_order`). The node with the highest score
/// gets the container. Let r be what is requested, free what is free, and largest the most that any
/// node has. Means are over cores and the counted resources, or over cores and memory if no
/// resource is counted. Scores are from 0 to 100:
/// - best-fit: 100 (1 - mean of (free - r) / largest); worst-fit: 100 less that
/// - dot-product: 100 (1 - mean of free r / largest^2)
/// - packing: prefers devices that are partly in use, then free devices of nodes in use
/// - clustering: prefers nodes that run requests of the same kind
/// - fgd: prefers nodes on which least becomes useless for typical requests (Fragmentation)
///
/// Sources: Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with
/// Fragmentation Gradient Descent", USENIX ATC 2023, section 6, and the simulator that the authors
/// published; for dot-product also Grandl et al., "Multi-Resource Packing for Cluster Schedulers",
/// SIGCOMM 2014.
///
/// Costs: the nodes are sorted by their scores for each size of requests. A node that has changed
/// since the last request of that size gets a new score and a new place. A search looks at the best
/// nodes until it finds one that may be used.
class NodeRank {
 public:
  /// The scenario must outlive the object.
  explicit NodeRank(const Scenario& scenario);
  ~NodeRank();

  /// Returns whether nodes have scores. If they have none, do not call the other functions.
  bool scores() const { return order_ > NodeOrder::kFirstFit; }
  NodeOrder order() const { return order_; }

  /// Takes in what has changed since the last step. `free_nodes`: of the drafts that follow; a
  /// draft with another index costs more.
  void refresh(const View& view, std::span<const Event> events, const FreeNodeIndex& free_nodes);
  /// Returns the best node with room for the request that is not reserved and that `may` allows.
  std::optional<NodeId> best(const Request& request, const Draft& draft,
                             const FreeIndex::May& may) const;
  /// Returns the nodes by their scores for one container of the request, the best first.
  std::vector<NodeId> best_first(const Request& request, const Draft& draft,
                                 std::vector<NodeId> nodes) const;
  /// Returns whether the node is in the best third of the open nodes with room that have the labels
  /// asked for.
  bool good(const Request& request, NodeId node, const Draft& draft) const;
  /// Returns the size of a container for the request on the node with the devices that the order
  /// chooses. Without devices of its choice, the default rule chooses them (Counts::placed_in).
  Resources placed(const Request& request, const Resources& size, NodeId node,
                   const Draft& draft) const;
  /// Takes in that the draft has launched a container of that size on the node.
  void launched(NodeId node, const Resources& size);

 private:
  struct Score {
    Resources free;             ///< for which it was computed
    std::uint64_t running = 0;  ///< version of running_ for which it was computed
    double score = -1;          ///< -1: there is no room
  };
  /// The scores of nodes for requests of a size.
  struct Scores {
    std::vector<Score> of_node;
    /// The open nodes with room, as their score with the other sign and their place in nodes_. So
    /// the best is the first.
    std::vector<std::pair<double, int>> best_first;
    std::vector<double> listed;  ///< by node: its score in `best_first`; -1: it is not there
    std::uint64_t seen = 0;      ///< changes of the index that are in `best_first`
    bool sorted = false;
  };
  /// Numbers of running containers on a node by what they hold of devices, in thousandths. All
  /// parts of a device count as one kind.
  struct Running {
    std::map<std::int64_t, int> kinds;
    std::uint64_t version = 1;
  };

  Scores& scores_for(const Request& request) const;
  double score(const Request& request, NodeId node, const Draft& draft, Scores& scores) const;
  /// Returns the open nodes with room by their scores, the best first.
  const std::vector<std::pair<double, int>>& sorted(const Request& request, const Draft& draft,
                                                    Scores& scores) const;
  /// Returns the size of which scores depend.
  Resources scored_size(const Request& request) const;
  double compute(const Resources& size, NodeId node, const Resources& free) const;
  double fit(const Resources& size, const Resources& free) const;
  double dot_product(const Resources& size, const Resources& free) const;
  double packing(const Resources& size, NodeId node, const Resources& free) const;
  double clustering(const Resources& size, NodeId node, const Resources& free) const;
  /// Returns a number from 0 to 2^53 - 1. `device`: which one of the node, or -1: the node itself.
  double random(const Request& request, NodeId node, const Draft& draft, int device = -1) const;
  /// Takes parts of devices from devices that are drawn.
  Counts drawn_devices(const Request& request, const Counts& asked, NodeId node,
                       const Draft& draft) const;
  double rounded(double score) const;
  void count_running(const View& view, NodeId node);
  /// Returns what the request holds of devices, as a kind of Running.
  std::int64_t kind_of(const Resources& size) const;
  std::int64_t devices_of(const Resources& amounts) const;

  const Scenario& scenario_;
  NodeOrder order_;
  bool whole_;
  std::size_t counted_;              ///< number of resources that the cluster counts
  int scored_ = 0;                   ///< number of resources that scores compare
  std::vector<NodeId> nodes_;        ///< in the order that breaks ties
  std::vector<int> place_;           ///< by node: its place in nodes_
  std::vector<std::size_t> device_;  ///< resources with devices
  Resources largest_;
  std::unique_ptr<Fragmentation> fragmentation_;  ///< fgd
  std::vector<Running> running_;                  ///< by node; clustering
  mutable std::map<Resources, Scores, BySize> scores_;
  const FreeNodeIndex* index_ = nullptr;  ///< whose changes `Scores::seen` counts
};

}  // namespace heddle
