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

/// What a node over its memory does in virtual time: the kernel's way, one victim at a time, or
/// every task of the node that wants more at once (the Estimation paper's simulator).
enum class Saturation { kKernel, kAll };

struct StorageSpec {
  EmuBytes block_size{128LL << 20};
  int replicas = 3;
  friend bool operator==(const StorageSpec&, const StorageSpec&) = default;
};

/// What virtual time adds to the work itself. Delays are real times, as measured of this program;
/// virtual time stretches them by time_scale as a real run does.
struct SimulationSpec {
  bool ideal = false;  ///< no start-up, heartbeat or dispatch delays: both delays count as 0
  real::Duration launch_delay = std::chrono::milliseconds(15);    ///< a node starts one at a time
  real::Duration message_delay = std::chrono::microseconds(500);  ///< between master and worker
  Saturation saturation = Saturation::kKernel;
  friend bool operator==(const SimulationSpec&, const SimulationSpec&) = default;
};

/// A queue; those without children hold jobs. Which fields count depends on the scheduler: weight
/// and min for fair and drf, the others for capacity.
struct QueueSpec {
  std::string name;
  std::string parent;         ///< "": directly below the root
  double capacity = 1.0;      ///< guaranteed share of what its parent is guaranteed
  double max_capacity = 1.0;  ///< most it may hold, as a share of what its parent may hold
  double user_limit = 1.0;    ///< share of the queue that each of its users may have in any case
  std::optional<double> max_am_share;  ///< of what the queue may hold; default: the policy's
  double weight = 1;
  Resources min;  ///< honoured before weights
  friend bool operator==(const QueueSpec&, const QueueSpec&) = default;
};

/// A program outside of every container that takes some of its nodes for a while. Loads that meet
/// on a node add up; with its system they are at most its capacity at any time.
struct ExternalLoadSpec {
  std::vector<NodeId> nodes;  ///< ascending, at least one
  EmuTime from;
  std::optional<EmuTime> until;  ///< nullopt: to the end of the run
  Resources load;
  friend bool operator==(const ExternalLoadSpec&, const ExternalLoadSpec&) = default;
};

/// A scenario, checked: every name resolves, every quantity is in range, jobs in the order written
/// (JobId is the index), which need not be that of their submission.
struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  EmulationSpec emulation;
  ClusterSpec cluster;
  StorageSpec storage;
  SimulationSpec simulation;
  PolicySpec policy;
  std::vector<QueueSpec> queues;
  std::vector<JobSpec> jobs;
  std::vector<ExternalLoadSpec> external_load;
  std::vector<FaultSpec> faults;
  /// What predicts remaining times (core/policy/reduces/model_file.h), as its file has it; "": the
  /// model that Heddle comes with. A resolved scenario has it where it is asked.
  std::string remaining_model;

  /// Null if there is no queue of that name.
  const QueueSpec* queue(std::string_view name) const;
  /// The largest share of the cluster that a queue may ever hold: its max_capacity of its parent's,
  /// up to the root.
  double max_share(const QueueSpec& queue) const;
  /// REQUIRES: emulation is resolved (no `auto` left).
  Scale scale() const {
    return {*emulation.time_scale, *emulation.core_fraction, *emulation.memory_scale,
            emulation.data_scale.value_or(*emulation.memory_scale)};
  }
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// A scenario and what the user should be told about it (sentences, with file and line where
/// known).
struct CheckedScenario {
  Scenario scenario;
  std::vector<std::string> warnings;
};

}  // namespace heddle
