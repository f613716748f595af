#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/jobs/job.h"
#include "core/model/action.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"
#include "core/state/capacity_model.h"
#include "core/state/container_table.h"
#include "core/state/request_table.h"

namespace heddle {

/// A container has started, or ended in one way or another (that of a lost node too).
struct ContainerChange {
  EmuTime at;
  Container container;           ///< as it then was; of one that ended, as it was last
  std::optional<Outcome> ended;  ///< nullopt: it started
};

struct Reservation {
  PhaseId phase;
  EmuTime since;
};

struct Node {
  NodeId id;
  const NodeSpec* spec = nullptr;
  bool alive = false;    ///< it takes tasks
  bool drained = false;  ///< it takes none for a while; then it is not `alive`
  /// Held by its containers; cores of suspended ones are not counted, their memory is.
  Resources allocated;
  std::optional<Reservation> reservation;
  ContainerSet containers;

  /// It has a worker, for all that is known.
  bool registered() const { return alive || drained; }
  /// What of its allowance no container requested, at least 0.
  Resources unrequested() const { return max(spec->allowance - allocated, Resources{}); }
};

/// A job that came to its end in a step.
struct JobFinished {
  JobId job;
  JobState state = JobState::kCompleted;
  std::string reason;
};

/// What the containers of one job hold; cores of suspended ones are not counted.
struct JobHoldings {
  Resources allocated;
  std::set<ContainerId> containers;
  int waiting = 0;    ///< of the containers, those that wait for their inputs
  int suspended = 0;  ///< likewise
};

/// The cluster as events and accepted actions have made it; policies see it const. Kept
/// incrementally: each fold costs in proportion to what it changes. Everything is ordered by id.
class ClusterState {
 public:
  /// `scenario` and `capacity` must outlive the state.
  /// `early_start`, `executors_prefer`: see Job.
  ClusterState(const Scenario& scenario, CapacityModel& capacity, double early_start,
               bool executors_prefer = false);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id.value]; }
  const std::vector<Job>& jobs() const { return jobs_; }
  const Job& job(JobId id) const { return jobs_[id.value]; }
  /// Phases with something outstanding, by id.
  const std::map<PhaseId, Request>& requests() const { return requests_.all(); }
  const ContainerTable& containers() const { return containers_; }
  const Request* request(PhaseId id) const { return requests_.find(id); }
  /// The job's, by phase; nullptr: that one asks for nothing.
  std::span<const Request* const> requests(JobId id) const { return requests_.of(id); }
  const Container* container(ContainerId id) const { return containers_.find(id); }
  /// What the capacity model has to give on the node now; nothing if it isn't alive.
  Resources free(NodeId id) const { return free_[id.value]; }
  const JobHoldings& holdings(JobId id) const { return holdings_[id.value]; }
  bool valid(NodeId id) const { return id.value >= 0 && id.value < std::ssize(nodes_); }
  bool valid(JobId id) const { return id.value >= 0 && id.value < std::ssize(jobs_); }
  int alive_nodes() const { return alive_nodes_; }
  int finished_jobs() const { return finished_jobs_; }

  // Sums, kept as things change.
  /// Of the live nodes, as large as the capacity model takes them for: what shares are of.
  const Resources& total() const { return total_; }
  /// Allowances of the live nodes.
  const Resources& allowances() const { return allowances_; }
  Resources total_free() const { return total_free_; }
  /// Held by application masters.
  const Resources& am_allocated() const { return am_allocated_; }
  /// The different sizes that are asked for now, and by how many requests each.
  const std::map<Resources, int, ByCoresThenMemory>& wanted_sizes() const { return wanted_; }
  int gang_requests() const { return gang_requests_; }
  /// Jobs with containers that wait for their inputs.
  const std::set<JobId>& waiting_jobs() const { return waiting_jobs_; }
  /// Nodes that are reserved.
  const std::set<NodeId>& reserved_nodes() const { return reserved_nodes_; }

  /// The time of the step that begins; never goes back. REQUIRES: before its events are folded.
  void begin_step(EmuTime now);
  EmuTime now() const { return now_; }
  /// Takes an event in. One that no longer applies (the end of a container that was already lost)
  /// changes nothing.
  void fold(const Event& event) {
    std::visit([&](const auto& what) { apply(event.at, what); }, event.what);
  }

  // Accepted actions; their conditions have been checked by the engine.
  void launch(const Launch& launch, EmuTime now);
  void reserve(const Reserve& reserve, EmuTime now);
  void unreserve(const Unreserve& unreserve) { drop_reservation(nodes_[unreserve.node.value]); }
  void mark_killed(ContainerId id) { containers_.at(id).killed = true; }
  /// What the drivers of Spark jobs, in which something has happened since the last call, tell
  /// their executors.
  std::vector<Action> drive_executors();
  /// Ends a job in failure; its containers are still to be killed.
  void fail_job(JobId id, const std::string& reason);

  // What has happened since the last call, each ascending.
  /// Jobs whose requests, holdings or state changed.
  std::set<JobId> take_changed_jobs() { return std::exchange(changed_jobs_, {}); }
  /// Nodes of which what is free, the reservation or being alive changed.
  std::set<NodeId> take_changed_nodes() { return std::exchange(changed_nodes_, {}); }
  std::vector<ContainerChange> take_container_changes() {
    return std::exchange(container_changes_, {});
  }
  /// What of heartbeats the capacity model goes by.
  Measured take_measured() { return std::exchange(measured_, Measured::kNothing); }
  std::vector<JobFinished> take_finished_jobs() { return std::exchange(newly_finished_, {}); }
  /// Jobs whose application master ended before them.
  std::set<JobId> take_orphaned_jobs() { return std::exchange(orphaned_, {}); }
  /// Containers whose inputs have become complete; they no longer wait.
  std::vector<ContainerId> take_ready_containers() { return std::exchange(inputs_ready_, {}); }
  /// Map outputs that have come, by the container that is to fetch them.
  std::map<ContainerId, std::vector<DataRead>> take_fetches() {
    return std::exchange(fetches_, {});
  }
  /// When something changes by the passing of time alone; nullopt: never.
  std::optional<EmuTime> next_time() const;
  /// Nothing has happened since all of that was last taken, and nothing will by the passing of
  /// time.
  bool settled() const;

 private:
  void apply(EmuTime at, const JobSubmitted& e);
  void apply(EmuTime at, const NodeRegistered& e);
  void apply(EmuTime at, const NodeLost& e);
  void apply(EmuTime at, const NodeDrained& e);
  void apply(EmuTime at, const NodeRestored& e);
  void apply(EmuTime at, const NodeHeartbeat& e);
  void apply(EmuTime at, const ContainerStarted& e);
  void apply(EmuTime at, const ContainerEnded& e);
  void apply(EmuTime at, const InputsRead& e);
  void apply(EmuTime at, const PartDone& e);
  void apply(EmuTime at, const InputLost& e);
  void apply(EmuTime, const ContainerSuspended& e) { suspend(e.container, true); }
  void apply(EmuTime, const ContainerResumed& e) { suspend(e.container, false); }
  void apply(EmuTime, const ActionRefused&) {}
  void apply(EmuTime, const Wake&) {}
  void apply(EmuTime, const ExternalLoad&) {}

  void refresh_request(PhaseId id);
  void refresh_requests(Job& job);
  void erase(const Request& request);
  void count(const Request& request, int by);
  /// Adds `change` to what the container's node and job hold.
  void allot(const Container& container, const Resources& change);
  void refresh_free(NodeId id);
  /// The container was suspended, or resumed.
  void suspend(ContainerId id, bool suspended);
  void set_waits(Container& container, bool waits);
  void feed(const Job& job);
  void hand_over(const Container& map);
  void drive(Job& job, std::vector<Action>& actions);
  /// The node takes tasks from now on, or no longer.
  void open(Node& node);
  void close(Node& node);
  void drop_reservation(Node& node);
  /// Lets the next of the yarn-client jobs run, too.
  void note_if_finished(const Job& job, bool was_finished);

  CapacityModel& capacity_;
  EmuTime now_;
  std::vector<Node> nodes_;
  std::vector<Job> jobs_;
  RequestTable requests_;
  ContainerTable containers_;
  std::set<JobId> changed_jobs_;
  std::set<NodeId> changed_nodes_;
  std::vector<ContainerChange> container_changes_;
  std::vector<JobFinished> newly_finished_;
  std::set<JobId> orphaned_;
  std::vector<ContainerId> inputs_ready_;
  std::map<ContainerId, std::vector<DataRead>> fetches_;
  std::set<JobId> driven_;  ///< Spark jobs in which something has happened
  std::set<JobId> timed_;   ///< jobs that have a next_time()
  /// Submitted and not finished yarn-client jobs, in the order of their submission.
  std::vector<JobId> clients_;
  std::vector<Resources> free_, totals_;  ///< by node
  Measured measured_ = Measured::kNothing;
  std::vector<JobHoldings> holdings_;  ///< by job
  Resources total_, total_free_, allowances_, am_allocated_;
  std::map<Resources, int, ByCoresThenMemory> wanted_;
  int gang_requests_ = 0;
  std::set<JobId> waiting_jobs_;
  std::set<NodeId> reserved_nodes_;
  int alive_nodes_ = 0;
  int finished_jobs_ = 0;
};

}  // namespace heddle
