#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "core/state/cluster_state.h"

namespace heddle {

/// What a policy sees of one step. Valid during decide only.
struct View {
  EmuTime now;
  const ClusterState& cluster;
  /// Nodes that may be given work now, ascending: in `dispatch: heartbeat` those that reported in
  /// this step, in `immediate` every live one.
  std::span<const NodeId> offers;
  /// Requests that came, went or changed since the last step, ascending.
  const std::set<PhaseId>& changed_requests;
};

/// Decides. Pure: no clock, file, thread or unseeded random number; what it keeps, events can
/// rebuild. See docs/policies.md on writing one.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Called once per step, after its events were folded. Actions are validated in order; a refused
  /// one comes back as ActionRefused in the next step's events.
  virtual std::vector<Action> decide(const View& view, std::span<const Event> events) = 0;
};

/// The policy that a checked specification names.
std::unique_ptr<Policy> make_policy(const PolicySpec& spec);

}  // namespace heddle
