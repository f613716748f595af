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

/// What came out of a step, in the order in which it is to be recorded and carried out.
struct Step {
  std::vector<Action> actions;  ///< validated; Launches complete
  std::vector<Event> refused;   ///< ActionRefused, told to the policy in the next step
  std::vector<JobFinished> finished;
  bool remembers = false;  ///< the policy's (Decision); its events have to be in the journal
  Measured measured = Measured::kNothing;  ///< what of its heartbeats has to be in the journal too
  std::vector<PolicyNote> notes;           ///< the policy's
  std::vector<PolicyNote> capacity_notes;
};

/// events -> fold into the state -> Policy::decide -> validate -> actions. The one engine that real
/// and simulated runs share; it knows no socket, process or clock.
class Engine {
 public:
  using Draw = std::function<TaskWork(TaskId)>;
  /// `scenario` must outlive the engine; `draw` gives a task's work from the scenario's seed.
  Engine(const Scenario& scenario, std::unique_ptr<Policy> policy, Draw draw);

  /// Folds the events in order and decides. `now` never goes back; events carry their own, earlier
  /// or equal, times. REQUIRES: ids of nodes and jobs exist in the scenario.
  Step step(EmuTime now, std::span<const Event> events);

  /// True: nothing would come of a step now in which there is but a heartbeat of the node, whatever
  /// was measured there, so that it may be left out.
  bool passes(EmuTime now, NodeId node);

  const ClusterState& state() const { return state_; }
  /// All those before it have been launched.
  ContainerId next_container() const { return next_container_; }
  /// All jobs are finished and no container is left.
  bool done() const {
    return state_.finished_jobs() == std::ssize(state_.jobs()) && state_.containers().empty();
  }

 private:
  std::vector<NodeId> offers(std::span<const Event> events) const;
  /// Jobs of which the nodes that are left could never hold a phase that is still to be done.
  void fail_stranded_jobs(std::span<const Event> events);
  /// Why the job can never end; "" if it may.
  std::string stranded(const Job& job) const;
  /// Kills and notices that follow from what happened, without the policy being asked.
  void clear_up_after(const std::vector<JobFinished>& finished, Step& step);
  /// What there is to fetch, and what executors are to do.
  void tell_of_data(Step& step);
  void ask_for_wake(EmuTime now, Step& step);
  /// What the scenario's faults make of an attempt's work.
  TaskWork faulty(TaskWork work, const Launch& launch) const;
  /// Fills in what of a task's data depends on its place: sources, objects, copies.
  void place_data(Launch& launch) const;
  void kill_containers_of(JobId job, const std::string& reason, Step& step);

  /// Carries the action out on the state; the reason why not if it can't be.
  std::string accept(Launch& launch, EmuTime now);
  std::string accept(Reserve& reserve, EmuTime now);
  std::string accept(Unreserve& unreserve, EmuTime now);
  std::string accept(Suspend& suspend, EmuTime now);
  std::string accept(Resume& resume, EmuTime now);
  std::string accept(Kill& kill, EmuTime now);
  std::string accept(WakeAt& wake, EmuTime now) { return wake.at > now ? "" : "not in the future"; }
  /// The engine's own: a policy may not give them.
  static std::string accept(const InputsReady&, EmuTime) { return kEnginesOwn; }
  static std::string accept(const Fetch&, EmuTime) { return kEnginesOwn; }
  static std::string accept(const RunPart&, EmuTime) { return kEnginesOwn; }
  static std::string accept(const Finish&, EmuTime) { return kEnginesOwn; }
  static constexpr const char* kEnginesOwn = "only the engine knows";

  const Scenario& scenario_;
  std::unique_ptr<CapacityModel> capacity_;
  ClusterState state_;
  std::unique_ptr<Policy> policy_;
  Draw draw_;
  ContainerId next_container_{0};
  std::vector<Event> refused_;
  bool lost_nodes_ = false;           ///< ever
  std::set<NodeId> awaited_;          ///< lost, and expected back
  std::optional<EmptyCluster> left_;  ///< the live nodes and these, once one was lost
  EmuTime wake_{-1};                  ///< the last one asked for
};

}  // namespace heddle
