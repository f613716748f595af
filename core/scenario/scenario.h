#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/ids.h"
#include "common/scale.h"
#include "core/model/cluster.h"
#include "core/model/emulation.h"
#include "core/model/resources.h"
#include "core/scenario/fault_spec.h"
#include "core/scenario/job_spec.h"
#include "core/scenario/policy_spec.h"

namespace heddle {

/// Defines what happens in virtual time if a node exceeds its memory. kKernel: as in the kernel,
/// one task is killed at a time. kAll: every task of the node that wants more memory is killed at
/// once, as in the simulator of the Estimation paper.
enum class Saturation { kKernel, kAll };

struct StorageSpec {
  EmuBytes block_size{128LL << 20};
  int replicas = 3;
  friend bool operator==(const StorageSpec&, const StorageSpec&) = default;
};

/// Delays that a simulation adds to the time of the work. They are real times that were measured
/// with Heddle. In virtual time, a delay is divided by time_scale, because this is how long it
/// seems in a real run.
struct SimulationSpec {
  bool ideal = false;  ///< launch_delay and message_delay count as 0
  real::Duration launch_delay = std::chrono::milliseconds(15);    ///< one start at a time per node
  real::Duration message_delay = std::chrono::microseconds(500);  ///< between master and worker
  Saturation saturation = Saturation::kKernel;
  friend bool operator==(const SimulationSpec&, const SimulationSpec&) = default;
};

/// A queue. Only queues without children have jobs. The scheduler determines which fields are used.
/// `fair` and `drf` use weight and min, and `capacity` uses the other fields.
struct QueueSpec {
  std::string name;
  std::string parent;                  ///< "": directly below the root
  double capacity = 1.0;               ///< guaranteed share of the parent's guarantee
  double max_capacity = 1.0;           ///< maximum, as a share of its parent's maximum
  double user_limit = 1.0;             ///< share of the queue that each user is entitled to
  std::optional<double> max_am_share;  ///< share of the queue's maximum; default: as in the policy
  double weight = 1;
  Resources min;  ///< allocated before weights count
  friend bool operator==(const QueueSpec&, const QueueSpec&) = default;
};

/// Shares among the accounts and users below the same account. nullopt: none of its own
/// (ShareTree::Shares).
using ScenarioShares = std::optional<std::int64_t>;
/// A user of an account.
struct UserShares {
  std::string name;
  ScenarioShares shares = 1;
  friend bool operator==(const UserShares&, const UserShares&) = default;
};
/// An account, for which jobs are charged. The order of jobs `priority` compares what accounts have
/// used.
struct AccountSpec {
  std::string name;
  std::string parent;  ///< "": directly below the root
  ScenarioShares shares = 1;
  std::vector<UserShares> users;
  friend bool operator==(const AccountSpec&, const AccountSpec&) = default;
};

/// Nodes, and what applies to the jobs that run there, as in Slurm. A node can be in several
/// partitions. A job runs only on nodes of its partition.
struct PartitionSpec {
  std::string name;
  std::vector<NodeId> nodes;        ///< ascending, at least one
  std::optional<EmuTime> max_time;  ///< the longest walltime of its jobs; nullopt: no limit
  std::int64_t priority = 0;        ///< the order of jobs `priority` compares these
  bool is_default = false;          ///< jobs that name no partition are in this one
  friend bool operator==(const PartitionSpec&, const PartitionSpec&) = default;
};

/// A job that is preempted waits and starts again, ends, or is suspended.
enum class PreemptMode { kRequeue, kCancel, kSuspend };

/// A quality of service: what applies to the jobs that name it, as in Slurm.
struct QosSpec {
  std::string name;
  std::int64_t priority = 0;              ///< the order of jobs `priority` compares these
  std::optional<int> max_jobs_per_user;   ///< that have containers at the same time
  double usage_factor = 1;                ///< on what its jobs use, for the fair share
  std::vector<std::string> preempt = {};  ///< qualities of service whose jobs end for its jobs
  PreemptMode preempt_mode = PreemptMode::kRequeue;  ///< of its own jobs
  EmuTime exempt_time = EmuTime(0);                  ///< its jobs run so long before they may end
  EmuTime requeue_delay = EmuTime(0);                ///< preempted jobs wait at least so long
  friend bool operator==(const QosSpec&, const QosSpec&) = default;
};

/// Nodes that only some jobs can use for a while, as in Slurm. Jobs that run there when it begins
/// are not ended.
struct ReservationSpec {
  std::string name;
  std::vector<NodeId> nodes;          ///< ascending, at least one
  EmuTime from, until;                ///< `until` is later
  std::optional<EmuTime> every = {};  ///< it lasts again each time this has passed; `times` in all
  int times = 1;
  /// Jobs that match each list that is not empty can use the nodes. If all are empty, no job can
  /// (`maintenance`).
  std::vector<std::string> users = {};
  std::vector<std::string> accounts = {};  ///< with the accounts below them
  std::vector<std::string> jobs = {};      ///< a also means a-1, a-2, …
  bool maintenance = false;                ///< other reservations can have its nodes too
  friend bool operator==(const ReservationSpec&, const ReservationSpec&) = default;
};

/// A program outside of all containers that uses resources of some nodes for a while. Loads on the
/// same node add up. The sum of these loads and the node's `system` is never larger than the node's
/// capacity.
struct ExternalLoadSpec {
  std::vector<NodeId> nodes;  ///< ascending, at least one
  EmuTime from;
  std::optional<EmuTime> until;  ///< nullopt: until the end of the run
  Resources load;
  friend bool operator==(const ExternalLoadSpec&, const ExternalLoadSpec&) = default;
};

/// A kind of request, and how many requests of this kind there are.
struct TypicalRequest {
  Resources request;
  Where where = {};
  std::int64_t count = 1;
  friend bool operator==(const TypicalRequest&, const TypicalRequest&) = default;
};

/// A checked scenario. Every name in it exists and every quantity is in its range. Jobs are in the
/// order in which they are written, and a JobId is an index in this order. Jobs can be submitted in
/// another order.
struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  EmulationSpec emulation;
  ClusterSpec cluster;
  StorageSpec storage;
  SimulationSpec simulation;
  PolicySpec policy;
  std::vector<QueueSpec> queues;
  std::vector<AccountSpec> accounts;
  std::vector<PartitionSpec> partitions;
  std::vector<QosSpec> qos;
  std::vector<ReservationSpec> reservations;
  std::vector<TypicalRequest> typical_requests;  ///< empty: those of the jobs
  std::vector<JobSpec> jobs;
  std::vector<ExternalLoadSpec> external_load;
  std::vector<FaultSpec> faults;
  /// The text of the file with the model that predicts remaining times
  /// (core/policy/reduces/model_file.h). "": Heddle's built-in model. In a resolved scenario, the
  /// text is set if the policy uses a model.
  std::string remaining_model;

  /// Returns nullptr if no queue has that name.
  const QueueSpec* queue(std::string_view name) const;
  /// Returns the maximum share of the cluster that the queue is allowed to hold. This is the
  /// product of the max_capacity of the queue and of each of its ancestors.
  double max_share(const QueueSpec& queue) const;
  /// REQUIRES: emulation is resolved, so that no factor is `auto`.
  Scale scale() const {
    return {*emulation.time_scale, *emulation.core_fraction, *emulation.memory_scale,
            emulation.data_scale.value_or(*emulation.memory_scale)};
  }
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// A scenario and the warnings for its user. Warnings are sentences, with file and line if known.
struct CheckedScenario {
  Scenario scenario;
  std::vector<std::string> warnings;
  bool states_time_scale = true;  ///< false if the default of 1 was taken
  bool drawn_jobs = false;        ///< jobs, or the times when they arrive, were drawn from the seed
};

}  // namespace heddle
