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

/// Behavior of a node over its memory in virtual time. kKernel: like the kernel, one victim at a
/// time. kAll: every task of the node that wants more memory is killed at once (the Estimation
/// paper's simulator).
enum class Saturation { kKernel, kAll };

struct StorageSpec {
  EmuBytes block_size{128LL << 20};
  int replicas = 3;
  friend bool operator==(const StorageSpec&, const StorageSpec&) = default;
};

/// Delays that virtual time adds to the work itself. They are real times, as measured with Heddle;
/// virtual time stretches them by time_scale, as a real run does.
struct SimulationSpec {
  bool ideal = false;  ///< no start-up, heartbeat or dispatch delays: both delays count as 0
  real::Duration launch_delay = std::chrono::milliseconds(15);    ///< one start at a time per node
  real::Duration message_delay = std::chrono::microseconds(500);  ///< between master and worker
  Saturation saturation = Saturation::kKernel;
  friend bool operator==(const SimulationSpec&, const SimulationSpec&) = default;
};

/// A queue. Only queues without children hold jobs. The scheduler determines which fields are used:
/// weight and min for fair and drf, the others for capacity.
struct QueueSpec {
  std::string name;
  std::string parent;                  ///< "": directly below the root
  double capacity = 1.0;               ///< guaranteed share of what is guaranteed to its parent
  double max_capacity = 1.0;           ///< maximum, as a share of its parent's maximum
  double user_limit = 1.0;             ///< share of the queue that each user is entitled to
  std::optional<double> max_am_share;  ///< share of the queue's maximum; default: the policy's
  double weight = 1;
  Resources min;  ///< honored before weights
  friend bool operator==(const QueueSpec&, const QueueSpec&) = default;
};

/// A program outside of all containers that uses some nodes' resources for a while. Loads on the
/// same node add up. Together with the node's system they are at most its capacity at any time.
struct ExternalLoadSpec {
  std::vector<NodeId> nodes;  ///< ascending, at least one
  EmuTime from;
  std::optional<EmuTime> until;  ///< nullopt: until the end of the run
  Resources load;
  friend bool operator==(const ExternalLoadSpec&, const ExternalLoadSpec&) = default;
};

/// A checked scenario: every name resolves and every quantity is in range. Jobs are in the order
/// written (JobId is the index), which need not be the order of submission.
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
  /// The model that predicts remaining times (core/policy/reduces/model_file.h), in the form of its
  /// file; "": Heddle's own model. In a resolved scenario it is set if the policy uses one.
  std::string remaining_model;

  /// Returns nullptr if no queue has that name.
  const QueueSpec* queue(std::string_view name) const;
  /// Returns the maximum share of the cluster that the queue may hold: its max_capacity times that
  /// of each of its ancestors.
  double max_share(const QueueSpec& queue) const;
  /// REQUIRES: emulation is resolved (no `auto` left).
  Scale scale() const {
    return {*emulation.time_scale, *emulation.core_fraction, *emulation.memory_scale,
            emulation.data_scale.value_or(*emulation.memory_scale)};
  }
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// A scenario and the warnings for its user (sentences, with file and line if known).
struct CheckedScenario {
  Scenario scenario;
  std::vector<std::string> warnings;
  bool states_time_scale = true;  ///< false if the default of 1 was taken
};

}  // namespace heddle
