#pragma once

#include <boost/container/flat_map.hpp>
#include <boost/container/flat_set.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/jobs/dependencies.h"
#include "core/jobs/job.h"
#include "core/model/action.h"
#include "core/model/event.h"
#include "core/scenario/advance_reservations.h"
#include "core/scenario/fit.h"
#include "core/scenario/scenario.h"
#include "core/state/capacity_model.h"
#include "core/state/container_table.h"
#include "core/state/request_table.h"

namespace heddle {

/// Tells that a container has started or ended. The loss of its node also ends a container.
struct ContainerChange {
  EmuTime at;
  Container container;           ///< at the change; if it ended, its last state
  std::optional<Outcome> ended;  ///< nullopt: the container started
  bool kept = false;             ///< its job keeps what the container held, see JobHoldings::kept
};

/// Resources become free that containers held after their end, see JobHoldings::kept.
struct PlacesReleased {
  EmuTime at;
  std::vector<ContainerId> containers;
};

struct Reservation {
  PhaseId phase;
  EmuTime since;
};

struct Node {
  NodeId id;
  const NodeSpec* spec = nullptr;
  bool alive = false;    ///< the node takes tasks
  bool drained = false;  ///< the node takes no tasks for a while; `alive` is false
  /// Resources held by the node's containers. A suspended container counts with its memory, but not
  /// with its cores.
  Resources allocated;
  std::optional<Reservation> reservation;
  ContainerSet containers;
  /// The part of `allocated` that jobs keep although the containers have ended.
  boost::container::flat_map<JobId, Resources> kept;

  /// Returns whether the node has a worker, as far as the master knows.
  bool registered() const { return alive || drained; }
  /// Returns the part of the allowance that no container requested, at least 0.
  Resources unrequested() const { return max(spec->allowance - allocated, Resources{}); }
};

/// A job that finished in a step.
struct JobFinished {
  JobId job;
  JobState state = JobState::kCompleted;
  std::string reason;
};

/// Resources that the containers of one job hold. The cores of suspended containers don't count.
struct JobHoldings {
  Resources allocated;
  std::set<ContainerId> containers;
  /// Containers that have ended, and whose resources the job keeps as long as it has other
  /// containers (JobSpec::keeps_places). A task that will run again gives its place back.
  std::vector<Container> kept;
  int waiting = 0;    ///< containers that wait for their inputs
  int suspended = 0;  ///< containers that are suspended
};

/// Jobs and nodes that have changed, in ascending order.
using ChangedJobs = boost::container::flat_set<JobId>;
using ChangedNodes = boost::container::flat_set<NodeId>;

/// Collects changes until they are taken. Keeps the memory of the collection, because most steps
/// have few changes.
template <class Collection>
class Changes {
 public:
  Collection& pending() { return pending_; }
  const Collection& pending() const { return pending_; }
  /// Returns the changes since the last call. The result is valid until the next call.
  const Collection& take() {
    taken_.clear();
    taken_.swap(pending_);
    return taken_;
  }

 private:
  Collection pending_, taken_;
};

/// The state of the cluster that results from events and accepted actions. Policies can read it,
/// but not change it. The state is updated incrementally: the cost of an event is proportional to
/// what the event changes. Everything is ordered by id.
class ClusterState {
 public:
  /// `scenario` and `capacity` must outlive the state.
  ClusterState(const Scenario& scenario, CapacityModel& capacity, const Job::Rules& rules);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id.value]; }
  const std::vector<Job>& jobs() const { return jobs_; }
  const Job& job(JobId id) const { return jobs_[id.value]; }
  /// Phases that request containers, by id.
  const std::map<PhaseId, Request>& requests() const { return requests_.all(); }
  const ContainerTable& containers() const { return containers_; }
  const Request* request(PhaseId id) const { return requests_.find(id); }
  /// Returns the requests of the job, one for each phase. It is nullptr if the phase requests
  /// nothing.
  std::span<const Request* const> requests(JobId id) const { return requests_.of(id); }
  const Container* container(ContainerId id) const { return containers_.find(id); }
  /// Returns the free capacity of the node according to the capacity model. Returns no resources if
  /// the node isn't alive. What the cluster has as a whole is not limited here, but in
  /// total_free().
  Resources free(NodeId id) const { return free_[id.value]; }
  const JobHoldings& holdings(JobId id) const { return holdings_[id.value]; }
  bool valid(NodeId id) const { return id.value >= 0 && id.value < std::ssize(nodes_); }
  bool valid(JobId id) const { return id.value >= 0 && id.value < std::ssize(jobs_); }
  /// Returns the capacity of the node according to the capacity model. Returns no resources if the
  /// node isn't alive.
  Resources total(NodeId id) const { return totals_[id.value]; }
  int alive_nodes() const { return alive_nodes_; }
  int finished_jobs() const { return finished_jobs_; }

  // Sums, kept up to date.
  /// Sum of the capacities of the live nodes according to the capacity model. Schedulers compute
  /// shares of this sum.
  const Resources& total() const { return total_; }
  /// Sum of the allowances of the live nodes.
  const Resources& allowances() const { return allowances_; }
  Resources total_free() const { return total_free_; }
  /// Resources held by application masters.
  const Resources& am_allocated() const { return am_allocated_; }
  /// The distinct sizes requested now, and the number of requests of each.
  const std::map<Resources, int, BySize>& wanted_sizes() const { return wanted_; }
  int gang_requests() const { return gang_requests_; }
  /// Jobs with containers that wait for their inputs.
  const std::set<JobId>& waiting_jobs() const { return waiting_jobs_; }
  /// Nodes that are reserved.
  const std::set<NodeId>& reserved_nodes() const { return reserved_nodes_; }

  /// Sets the time of the step that begins. REQUIRES: `now` is not before the time of the last
  /// step, and no event of the step is folded yet.
  void begin_step(EmuTime now);
  EmuTime now() const { return now_; }
  /// Applies an event. An event that no longer applies changes nothing, for example the end of a
  /// container that was already lost.
  void fold(const Event& event) {
    std::visit([&](const auto& what) { apply(event.at, what); }, event.what);
  }

  // Accepted actions. The engine has checked their conditions.
  void launch(const Launch& launch, EmuTime now);
  void reserve(const Reserve& reserve, EmuTime now);
  void unreserve(const Unreserve& unreserve) { drop_reservation(nodes_[unreserve.node.value]); }
  void mark_killed(ContainerId id) { containers_.at(id).killed = true; }
  /// Returns the orders of Spark drivers to their executors. Considers only jobs with events since
  /// the last call.
  std::vector<Action> drive_executors();
  /// Ends the jobs whose walltimes are over. The caller must still kill their containers.
  void end_overdue_jobs();
  /// Ends a job as killed. The caller must still kill its containers.
  void kill_job(JobId id, const std::string& reason);
  /// Marks a job as failed. The caller must still kill the job's containers.
  void fail_job(JobId id, const std::string& reason);

  // The next functions return what has changed since their last call, in ascending order.
  // The results of the first three functions are valid until their next call.
  /// Jobs with changed requests, holdings or state.
  const ChangedJobs& take_changed_jobs() { return changed_jobs_.take(); }
  /// Nodes whose free capacity, reservation or liveness changed.
  const ChangedNodes& take_changed_nodes() { return changed_nodes_.take(); }
  const std::vector<ContainerChange>& take_container_changes() { return container_changes_.take(); }
  /// Containers that have ended, and whose resources their jobs keep (JobHoldings::kept).
  std::vector<ContainerId> take_kept() { return std::exchange(newly_kept_, {}); }
  /// Kept resources that have become free. Resources that were kept since the last call only are
  /// in neither list.
  std::vector<PlacesReleased> take_released() { return std::exchange(released_, {}); }
  /// The part of the heartbeats since the last call that the capacity model uses.
  Measured take_measured() { return std::exchange(measured_, Measured::kNothing); }
  std::vector<JobFinished> take_finished_jobs() { return std::exchange(newly_finished_, {}); }
  /// Jobs whose application master ended before the job.
  std::set<JobId> take_orphaned_jobs() { return std::exchange(orphaned_, {}); }
  /// Gangs of which a task has ended early (Job::broken).
  std::set<PhaseId> take_broken_gangs() { return std::exchange(broken_gangs_, {}); }
  /// Containers that no longer wait, because their inputs have become complete.
  std::vector<ContainerId> take_ready_containers() { return std::exchange(inputs_ready_, {}); }
  /// New map outputs, by the container that must fetch them.
  std::map<ContainerId, std::vector<DataRead>> take_fetches() {
    return std::exchange(fetches_, {});
  }
  /// Jobs whose conditions on other jobs now hold (JobSpec::after).
  std::vector<Dependencies::Eligible> take_eligible_jobs() { return dependencies_.take_eligible(); }
  const Dependencies& dependencies() const { return dependencies_; }
  const AdvanceReservations& reservations() const { return reservations_; }
  /// Returns the reservation that keeps a container of the job from the node at this time: one for
  /// others that lasts, or that begins before the job's walltime is over. Of a job without a
  /// walltime, no end is known, so only a reservation that lasts keeps it out. Returns nullopt if
  /// none does.
  std::optional<ReservedTime> reserved_for_others(JobId job, NodeId node, EmuTime now) const;
  /// Returns the next time at which the state changes without an event. Returns nullopt if there is
  /// none.
  std::optional<EmuTime> next_time() const;
  /// Returns when the next job is killed because its walltime is over, if it does not end before.
  std::optional<EmuTime> next_kill() const {
    return kill_times_.empty() ? std::nullopt : std::optional(kill_times_.begin()->first);
  }
  /// Returns when the next reservation begins or ends. Returns nullopt if there is none, or if all
  /// jobs have finished.
  std::optional<EmuTime> next_reservation() const;
  /// Returns whether all changes above have been taken and no time but next_kill() and
  /// next_reservation() is awaited.
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
  void apply(EmuTime at, const ContainerSuspended& e) { suspend(e.container, true, at); }
  void apply(EmuTime at, const ContainerResumed& e) { suspend(e.container, false, at); }
  void apply(EmuTime, const ActionRefused&) {}
  void apply(EmuTime, const Wake&) {}
  void apply(EmuTime, const PolicyReplied&) {}
  void apply(EmuTime, const ExternalLoad&) {}

  void refresh_request(PhaseId id);
  void refresh_requests(Job& job);
  void erase(const Request& request);
  void count(const Request& request, int by);
  /// Adds `change` to the resources held on the container's node and by its job.
  void allot(const Container& container, const Resources& change);
  void refresh_free(NodeId id);
  /// Frees what the container held, or lets its job keep it. Returns whether the job keeps it.
  bool vacate(const Container& container, Outcome outcome, EmuTime at);
  /// Frees what the job keeps, on one node or on all.
  void release_kept(JobId job, std::optional<NodeId> node, EmuTime at);
  /// Marks the container as suspended or resumed.
  void suspend(ContainerId id, bool suspended, EmuTime at);
  /// Stops the walltime of a rigid job as long as all its containers are suspended.
  void time_suspension(Job& job, EmuTime at);
  void set_waits(Container& container, bool waits);
  void feed(const Job& job);
  void hand_over(const Container& map);
  void drive(Job& job, std::vector<Action>& actions);
  /// open() lets the node take tasks, and close() stops it from taking tasks.
  void open(Node& node);
  void close(Node& node);
  void drop_reservation(Node& node);
  /// If the job has just finished, records its end, lets the next yarn-client job run, and cancels
  /// the jobs that waited for another end.
  void note_if_finished(const Job& job, bool was_finished);
  void note_finished(const Job& job);

  CountNames counted_;
  AdvanceReservations reservations_;
  CapacityModel& capacity_;
  EmuTime now_;
  std::vector<Node> nodes_;
  std::vector<Job> jobs_;
  std::optional<EmptyCluster> empty_;  ///< set if jobs that it can't hold are cancelled
  Dependencies dependencies_;
  RequestTable requests_;
  ContainerTable containers_;
  Changes<ChangedJobs> changed_jobs_;
  Changes<ChangedNodes> changed_nodes_;
  Changes<std::vector<ContainerChange>> container_changes_;
  std::vector<JobFinished> newly_finished_;
  std::vector<ContainerId> newly_kept_;
  std::vector<PlacesReleased> released_;
  std::set<JobId> orphaned_;
  std::set<PhaseId> broken_gangs_;
  std::vector<ContainerId> inputs_ready_;
  std::map<ContainerId, std::vector<DataRead>> fetches_;
  std::set<JobId> driven_;  ///< Spark jobs with events since drive_executors()
  std::set<JobId> timed_;   ///< jobs that have a next_time()
  std::set<std::pair<EmuTime, JobId>> kill_times_;  ///< of jobs that have a kill_at()
  /// Unfinished yarn-client jobs, in the order of their submission.
  std::vector<JobId> clients_;
  std::vector<Resources> free_, totals_;  ///< by node
  Measured measured_ = Measured::kNothing;
  std::vector<JobHoldings> holdings_;  ///< by job
  Resources total_, total_free_, allowances_;
  Resources am_allocated_;
  std::map<Resources, int, BySize> wanted_;
  int gang_requests_ = 0;
  std::set<JobId> waiting_jobs_;
  std::set<NodeId> reserved_nodes_;
  int alive_nodes_ = 0;
  int finished_jobs_ = 0;
};

}  // namespace heddle
