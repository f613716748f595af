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

/// What a policy sees of one step. Valid during decide only.
struct View {
  EmuTime now;
  const ClusterState& cluster;
  /// Nodes that may be given work now, ascending: in `dispatch: heartbeat` those that reported in
  /// this step. In `immediate` none is listed and every live one may (`anywhere`).
  std::span<const NodeId> offers;
  bool anywhere = false;
  /// Jobs whose requests, containers or state changed since the last step, ascending.
  const std::set<JobId>& changed_jobs;
  /// Nodes of which what is free, the reservation or being alive changed, ascending.
  const std::set<NodeId>& changed_nodes;
  /// Containers that started or ended since the last step, in that order.
  std::span<const ContainerChange> container_changes;
};

/// What came of a step.
struct Decision {
  std::vector<Action> actions;
  /// Something of these events will matter later, though no action came of it now (a counter, an
  /// estimate): they have to be in the journal for a replay to decide the same.
  bool remembers = false;
  /// What of its own state has changed.
  std::vector<PolicyNote> notes;
};

/// Decides. Pure: no clock, file, thread or unseeded random number; what it keeps, events can
/// rebuild. See docs/writing-a-policy.md.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Called once per step, after its events were folded. Actions are validated in order; a refused
  /// one comes back as ActionRefused in the next step's events.
  virtual Decision decide(const View& view, std::span<const Event> events) = 0;
  /// True: if nothing is new but a report of the node, whatever is in it, decide does nothing and
  /// remembers nothing, so that it need not be called. False is always right. `view`: as at that
  /// report, but for `offers`; nothing in it has changed.
  virtual bool passes(const View& /*view*/, NodeId /*node*/) { return false; }
  /// What keeps each phase of a job that is not over from its next container, those that ask for
  /// one first. `view`: the state as the last step left it, its time, and whether any node may be
  /// given work; what else is in it doesn't matter. Here: what the state alone tells.
  virtual std::vector<Obstacle> obstacles(const View& view, JobId job) const;
};

}  // namespace heddle
