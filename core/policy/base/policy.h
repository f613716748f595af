#pragma once

#include <span>
#include <vector>

#include "core/model/action.h"
#include "core/model/event.h"
#include "core/model/policy_note.h"
#include "core/policy/base/obstacle.h"
#include "core/state/cluster_state.h"

namespace heddle {

/// The state that a policy sees in one step. A view is valid only during the call of decide.
struct View {
  EmuTime now;
  const ClusterState& cluster;
  /// Nodes on which containers can be placed now, ascending. With `dispatch: heartbeat`, these are
  /// the nodes that reported in this step. With `immediate`, the list is empty, `anywhere` is true,
  /// and containers can be placed on every live node.
  std::span<const NodeId> offers;
  bool anywhere = false;
  /// Jobs whose requests, containers or state changed since the last step, ascending.
  const ChangedJobs& changed_jobs;
  /// Nodes whose free resources, reservation or liveness changed, ascending.
  const ChangedNodes& changed_nodes;
  /// Containers that started or ended since the last step, in that order.
  std::span<const ContainerChange> container_changes;
};

/// Returns a view in which no node reports and nothing has changed.
inline View unchanged_view(EmuTime now, const ClusterState& cluster, bool anywhere) {
  static const ChangedJobs no_jobs;
  static const ChangedNodes no_nodes;
  return {.now = now,
          .cluster = cluster,
          .offers = {},
          .anywhere = anywhere,
          .changed_jobs = no_jobs,
          .changed_nodes = no_nodes,
          .container_changes = {}};
}

/// Result of a step.
struct Decision {
  std::vector<Action> actions;
  /// True if a later decision will depend on these events, although the step has no action. For
  /// example, the policy has counted them. The events must then be in the journal, so that a replay
  /// makes the same decisions.
  bool remembers = false;
  /// Changes in the policy's own state, for the journal.
  std::vector<PolicyNote> notes;
};

/// Decides what to launch, reserve, suspend and kill. A policy is pure: it uses no clock, file,
/// thread or unseeded random number. Its whole state can be rebuilt from the events.
/// docs/tutorial/write-a-policy.md shows how to write one.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Decides one step. Called once per step, after the state has taken in the step's events. The
  /// engine validates the actions in order. If it refuses an action, the next step has an
  /// ActionRefused event.
  virtual Decision decide(const View& view, std::span<const Event> events) = 0;
  /// Returns true if decide has nothing to do or to remember in a step in which only the node has
  /// reported. This must hold for any content of the report. The caller can then skip the call of
  /// decide. Returning false is always correct. `view`: the state at that report, without `offers`
  /// and without changes.
  virtual bool passes(const View& /*view*/, NodeId /*node*/) { return false; }
  /// Returns the time before which passes() stays true if it is true now and nothing changes.
  /// Returning 0 is always correct.
  virtual EmuTime passes_until() const { return EmuTime(0); }
  /// Returns what keeps each phase of an unfinished job from its next container, in the form of
  /// obstacles_of(). Only three members of `view` are read: the state after the last step, the time
  /// of that step, and `anywhere`. The base class returns what the state alone shows.
  virtual std::vector<Obstacle> obstacles(const View& view, JobId job) const;
};

}  // namespace heddle
