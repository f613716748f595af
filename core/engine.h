#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/policy/base/policy.h"
#include "core/scenario/fit.h"
#include "core/state/cluster_state.h"

namespace heddle {

/// Result of a step. Each list is in the order in which its entries are recorded and carried out.
struct Step {
  std::vector<Action> actions;  ///< validated; every Launch has all fields filled in
  std::vector<Event> refused;   ///< ActionRefused events; the policy gets them in the next step
  std::vector<JobFinished> finished;
  /// Containers that have ended, and whose resources their jobs keep (JobHoldings::kept).
  std::vector<ContainerId> kept;
  std::vector<PlacesReleased> released;
  bool remembers = false;  ///< as in Decision: the journal must have the step's events
  Measured measured = Measured::kNothing;  ///< the part of heartbeats that the journal needs
  std::vector<PolicyNote> notes;           ///< from the policy
  std::vector<PolicyNote> capacity_notes;
};

/// Runs a scenario step by step. A step folds events into the state, calls Policy::decide,
/// validates the policy's actions, and returns the valid ones. Real and simulated runs share this
/// engine. The engine uses no socket, process or clock.
class Engine {
 public:
  using Draw = std::function<TaskWork(TaskId)>;
  /// `scenario` must outlive the engine. `draw` returns a task's work, drawn from the scenario's
  /// seed.
  Engine(const Scenario& scenario, std::unique_ptr<Policy> policy, Draw draw);

  /// Folds the events into the state in order, and then lets the policy decide. REQUIRES: `now` is
  /// not before the `now` of the previous step. Each event has its own time, which is at most
  /// `now`. All ids of nodes and jobs exist in the scenario.
  Step step(EmuTime now, std::span<const Event> events);

  /// Returns true if a heartbeat of the node, alone in a step, would have no effect now. The
  /// measurements in the heartbeat must not matter for that. If true, the caller is allowed to skip
  /// the step.
  bool passes(EmuTime now, NodeId node);
  /// Returns the time before which passes() stays true for a node if it is true now and no step
  /// comes between.
  EmuTime passes_until() const { return policy_->passes_until(); }

  const ClusterState& state() const { return state_; }
  /// Returns the id of the next container to launch. Containers with lower ids have been launched.
  ContainerId next_container() const { return next_container_; }
  /// Returns true when all jobs are finished and no container is left.
  bool done() const {
    return state_.finished_jobs() == std::ssize(state_.jobs()) && state_.containers().empty();
  }

 private:
  std::vector<NodeId> offers(std::span<const Event> events) const;
  /// Fails each job with an unfinished phase whose request does not fit the remaining nodes, even
  /// if they are empty.
  void fail_stranded_jobs(std::span<const Event> events);
  /// Returns why the remaining nodes can never complete the job. Returns "" if they can.
  std::string stranded(const Job& job) const;
  /// Adds the kills and notices to `step` that follow from its events. They do not depend on the
  /// policy's decision.
  void clear_up_after(const std::vector<JobFinished>& finished, Step& step);
  /// Adds the Fetch actions for map output and the orders to executors.
  void tell_of_data(Step& step);
  /// Submits the jobs whose conditions hold, or asks for their submission if they hold later.
  /// Returns the events of the submissions.
  std::vector<Event> submit_eligible(EmuTime now, Step& step);
  void ask_for_wake(EmuTime now, Step& step);
  /// Returns an attempt's work with the scenario's faults applied.
  TaskWork faulty(TaskWork work, const Launch& launch) const;
  /// Fills in the parts of a task's data that depend on its container and node: sources, objects,
  /// copies.
  void place_data(Launch& launch) const;
  /// Kills the containers of a job, or of one of its phases.
  void kill_containers_of(JobId job, const std::string& reason, Step& step,
                          std::optional<int> phase = std::nullopt);

  bool reserved_for_other(NodeId node, const PhaseId& phase) const {
    const auto& reservation = state_.node(node).reservation;
    return reservation && reservation->phase != phase;
  }
  /// Returns "JOB.PHASE: " for an action about an existing phase, and "container N: " for an action
  /// about a container. Returns "" for other actions.
  std::string about(const Action& action) const;
  /// Returns "" unless a reservation of the scenario keeps the job from the node. In that case,
  /// says so.
  std::string reserved_by_site(JobId job, const Node& node, EmuTime now) const;
  /// Returns why a gang can't start as the policy has decided. Returns "" if the launch is not of a
  /// gang, or if all containers of the gang are launched and fit. `launch` is one of `actions`.
  std::string gang_fault(const Launch& launch, std::span<const Action> actions) const;
  /// Validates an action and applies it to the state. Returns "" on success, else the reason for
  /// the refusal.
  std::string accept(Launch& launch, EmuTime now);
  std::string accept(Reserve& reserve, EmuTime now);
  std::string accept(Unreserve& unreserve, EmuTime now);
  std::string accept(Suspend& suspend, EmuTime now);
  std::string accept(Resume& resume, EmuTime now);
  std::string accept(Kill& kill, EmuTime now);
  std::string accept(KillJob& kill, EmuTime now);
  std::string accept(WakeAt& wake, EmuTime now) { return wake.at > now ? "" : "not in the future"; }
  /// Refuses actions that only the engine is allowed to create.
  static std::string accept(const InputsReady&, EmuTime) { return kEnginesOwn; }
  static std::string accept(const Fetch&, EmuTime) { return kEnginesOwn; }
  static std::string accept(const RunPart&, EmuTime) { return kEnginesOwn; }
  static std::string accept(const Finish&, EmuTime) { return kEnginesOwn; }
  static std::string accept(const Submit&, EmuTime) { return kEnginesOwn; }
  static std::string accept(const SubmitAt&, EmuTime) { return kEnginesOwn; }
  static constexpr const char* kEnginesOwn = "only the engine knows";

  const Scenario& scenario_;
  std::unique_ptr<CapacityModel> capacity_;
  ClusterState state_;
  std::unique_ptr<Policy> policy_;
  Draw draw_;
  ContainerId next_container_{0};
  std::vector<Event> refused_;
  bool lost_nodes_ = false;           ///< whether a node was ever lost
  std::set<NodeId> awaited_;          ///< lost nodes that are expected back
  std::optional<EmptyCluster> left_;  ///< registered and awaited nodes, once one was lost
  bool all_suspect_ = false;  ///< nodes have changed since the jobs were last held against left_
  EmuTime wake_{-1};          ///< time of the last wake asked for
};

}  // namespace heddle
