#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/jobs/job.h"
#include "core/model/action.h"
#include "core/model/event.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Where a live container stands; one that ended is no longer in the state.
enum class ContainerState { kAllocated, kRunning, kSuspended };

struct Container {
  ContainerId id;
  TaskId task;
  int attempt = 1;
  NodeId node;
  Resources resources;
  ContainerState state = ContainerState::kAllocated;
  bool killed = false;  ///< a Kill is under way
  EmuTime allocated_at;
  std::optional<EmuTime> started_at;
  ContainerUse use;  ///< as of its node's last heartbeat
};

struct Reservation {
  PhaseId phase;
  EmuTime since;
};

struct Node {
  NodeId id;
  const NodeSpec* spec = nullptr;
  bool alive = false;
  /// Held by its containers; cores of suspended ones are not counted, their memory is.
  Resources allocated;
  std::optional<Reservation> reservation;
  std::set<ContainerId> containers;

  /// What the reservation capacity model has to give: allowance less allocated, at least 0; nothing
  /// if not alive.
  Resources free() const;
};

/// What one phase asks for now.
struct Request {
  PhaseId phase;
  Resources resources;
  PhaseKind kind = PhaseKind::kMap;
  int pending = 0;            ///< containers outstanding
  bool gang = false;          ///< only all at once (a gang that has begun is none)
  int priority = 0;           ///< of its job; higher first
  EmuTime submit;             ///< of its job
  std::set<NodeId> reserved;  ///< nodes it holds
};

/// A job that came to its end in a step.
struct JobFinished {
  JobId job;
  JobState state = JobState::kCompleted;
  std::string reason;
};

/// The cluster as events and accepted actions have made it; policies see it const. Kept
/// incrementally: each fold costs in proportion to what it changes. Everything is ordered by id.
class ClusterState {
 public:
  /// `scenario` must outlive the state.
  explicit ClusterState(const Scenario& scenario);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id.value]; }
  const std::vector<Job>& jobs() const { return jobs_; }
  const Job& job(JobId id) const { return jobs_[id.value]; }
  /// Phases with something outstanding, by id.
  const std::map<PhaseId, Request>& requests() const { return requests_; }
  const std::map<ContainerId, Container>& containers() const { return containers_; }
  const Request* request(PhaseId id) const;
  const Container* container(ContainerId id) const;
  bool valid(NodeId id) const { return id.value >= 0 && id.value < std::ssize(nodes_); }
  bool valid(JobId id) const { return id.value >= 0 && id.value < std::ssize(jobs_); }
  int alive_nodes() const { return alive_nodes_; }
  int finished_jobs() const { return finished_jobs_; }

  /// Takes an event in. One that no longer applies (the end of a container that was already lost)
  /// changes nothing.
  void fold(const Event& event);

  // Accepted actions; their conditions have been checked by the engine.
  void launch(const Launch& launch, EmuTime now);
  void reserve(const Reserve& reserve, EmuTime now);
  void unreserve(const Unreserve& unreserve);
  void mark_killed(ContainerId id);
  /// Ends a job in failure; its containers are still to be killed.
  void fail_job(JobId id, const std::string& reason);

  /// What has changed since the last call: requests that came, went or changed, and jobs that
  /// ended. Ascending.
  std::set<PhaseId> take_changed_requests();
  std::vector<JobFinished> take_finished_jobs();
  std::set<JobId> take_changed_jobs();

 private:
  void apply(EmuTime at, const JobSubmitted& e);
  void apply(EmuTime at, const NodeRegistered& e);
  void apply(EmuTime at, const NodeLost& e);
  void apply(EmuTime at, const NodeHeartbeat& e);
  void apply(EmuTime at, const ContainerStarted& e);
  void apply(EmuTime at, const ContainerEnded& e);
  void apply(EmuTime at, const ContainerSuspended& e);
  void apply(EmuTime at, const ContainerResumed& e);
  void apply(EmuTime, const ActionRefused&) {}
  void apply(EmuTime, const Wake&) {}

  void refresh_request(PhaseId id);
  void refresh_requests(const Job& job);
  void drop_reservation(Node& node);
  void note_if_finished(const Job& job, bool was_finished);

  std::vector<Node> nodes_;
  std::vector<Job> jobs_;
  std::map<PhaseId, Request> requests_;
  std::map<ContainerId, Container> containers_;
  std::set<PhaseId> changed_;
  std::set<JobId> changed_jobs_;
  std::vector<JobFinished> newly_finished_;
  int alive_nodes_ = 0;
  int finished_jobs_ = 0;
};

}  // namespace heddle
