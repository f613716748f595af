#pragma once

#include <set>
#include <span>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "core/model/policy_note.h"
#include "core/policy/base/obstacle.h"
#include "core/state/cluster_state.h"

namespace heddle {

/// The state that a policy sees in one step. Valid during decide only.
struct View {
  EmuTime now;
  const ClusterState& cluster;
  /// Nodes that may be given work now, ascending. In `dispatch: heartbeat`, these are the nodes
  /// that reported in this step. In `immediate` the list is empty, and every live node may be given
  /// work (`anywhere`).
  std::span<const NodeId> offers;
  bool anywhere = false;
  /// Jobs whose requests, containers or state changed since the last step, ascending.
  const std::set<JobId>& changed_jobs;
  /// Nodes whose free resources, reservation or liveness changed, ascending.
  const std::set<NodeId>& changed_nodes;
  /// Containers that started or ended since the last step, in that order.
  std::span<const ContainerChange> container_changes;
};

/// Result of a step.
struct Decision {
  std::vector<Action> actions;
  /// True if something of these events will matter later although it leads to no action (a counter,
  /// an estimate). The events then have to be in the journal, so that a replay decides the same.
  bool remembers = false;
  /// Changes in the policy's own state, for the journal.
  std::vector<PolicyNote> notes;
};

/// Decides what to launch, reserve, suspend and kill. Pure: it uses no clock, file, thread or
/// unseeded random number, and events can rebuild all its state. See
/// docs/tutorial/write-a-policy.md.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Decides one step; called once per step, after its events were folded. Actions are validated in
  /// order; a refused one comes back as ActionRefused in the next step's events.
  virtual Decision decide(const View& view, std::span<const Event> events) = 0;
  /// Returns true if decide would do nothing and remember nothing when a report of the node,
  /// whatever is in it, is all that is new. decide need not be called then. False is always right.
  /// `view`: as at that report, except for `offers`; nothing in it has changed.
  virtual bool passes(const View& /*view*/, NodeId /*node*/) { return false; }
  /// Returns what keeps each phase of a job that is not over from its next container, as
  /// obstacles_of() does. `view`: the state as the last step left it, its time, and whether any
  /// node may be given work; its other members don't matter. By default, returns what the state
  /// alone shows.
  virtual std::vector<Obstacle> obstacles(const View& view, JobId job) const;
};

}  // namespace heddle
