#pragma once

#include "core/policy/base/job_limits.h"
#include "core/policy/base/master_share.h"
#include "core/policy/base/scheduler.h"
#include "core/policy/locality/delay.h"
#include "core/policy/locality/locality_rule.h"

namespace heddle {

/// Describes the limit of application masters. Every policy has this part.
extern const PartText kMasterShare;

// The rule of placement is a chain of gates. Each gate has one condition. It lets a request pass,
// or it refuses and says why. A container is launched only if the whole chain lets its request
// pass:
//
// 1. gates of requests: conditions that no node changes, such as a queue's limit. A request that is
//    refused loses its turn, and the search continues with the next request, even if the order is
//    strict.
// 2. gates of nodes: whether the node can take the container, such as its free resources.
// 3. patience: whether the request waits for a better node than the one that was found.
//
// gate.cc has the gates and their order. Placing (PlacementLoop::decide), skipping heartbeats
// (passes) and explaining (obstacles) all ask this chain and state no condition of their own. An
// explanation is therefore the answer of the first gate that refuses. Only the order in which
// requests get their turn is not in the chain. The scheduler has it.
//
// Indexes (FreeNodeIndex, Round) only save asking: they skip nodes and requests that a gate would
// refuse. What they find must still pass the gates.

/// A request on a node, as the gates of nodes see it.
struct Spot {
  const Request& request;
  NodeId node;
  const Draft& draft;
  const LocalityRule* locality = nullptr;  ///< null: containers have the size requested
  /// The containers to launch on the node now: one of full size, or several smaller maps. Set if
  /// the node has room.
  Portion portion = {};
};

/// Asks the gates of nodes. Returns the answer of the first gate that refuses.
std::optional<NotHere> refused(Spot& spot);

/// Returns true if the refusal only says that the cluster is full: it is the limit of a queue that
/// can have the whole cluster.
bool says_full(const Refusal& refusal);

/// Returns the name of the option that sets the rule by which a gate refuses. Returns "" if no
/// option does.
std::string_view option_of(const Refusal& refusal);

/// The gates of a policy with the placement loop.
class Gates {
 public:
  /// All arguments must outlive the gates. `locality` may be null.
  Gates(const Scenario& scenario, const Scheduler& scheduler, const JobLimits& limits,
        const LocalityRule* locality, const Delay& delay);

  /// Asks the gates of requests. Returns the answer of the first gate that refuses. The limit of a
  /// queue that can have the whole cluster comes last: it is reached whenever the cluster is full.
  std::optional<Refusal> of_request(const Request& request, const Draft& draft) const;
  /// Asks the gates of nodes. If all let the request pass, sets the portion to launch.
  std::optional<NotHere> of_node(const Request& request, NodeId node, const Draft& draft,
                                 Portion& portion) const {
    Spot spot{request, node, draft, locality_};
    const std::optional<NotHere> refusal = refused(spot);
    portion = spot.portion;
    return refusal;
  }
  std::optional<NotHere> of_node(const Request& request, NodeId node, const Draft& draft) const {
    Portion any;
    return of_node(request, node, draft, any);
  }
  /// Asks patience.
  std::optional<Refusal> patience(const Request& request, NodeId node, const Draft& draft) const;

  /// The gates of requests read these.
  struct Parts {
    const Scheduler& scheduler;
    const JobLimits& limits;
    double max_am_share, ramp_limit;
    const CountNames& counted;
    bool cluster_wide;  ///< some of `counted` belong to the cluster as a whole
  };

 private:
  Parts parts_;
  const LocalityRule* locality_;
  const Delay& delay_;
};

}  // namespace heddle
