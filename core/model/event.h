#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "common/oom_cause.h"
#include "core/model/resources.h"

namespace heddle {

/// Outcome of an attempt. kLost: the attempt's node was lost. kKilled: Heddle killed the attempt,
/// because a policy requested this or because the job failed. kNotStarted: the node's machine could
/// not start the attempt, and it does not count as an attempt of the task.
enum class Outcome { kCompleted, kFailed, kOomKilled, kKilled, kLost, kNotStarted };

/// Largest error that MemoryFidelity counts, in thousandths of the request.
inline constexpr int kMaxMemoryError = 1'000'000;

/// How closely the charge of a container followed the memory profile of its task. The worker
/// measures this; a simulation charges memory at once.
struct MemoryFidelity {
  /// Number of samples by error: |charge - profile| / request, in thousandths, rounded.
  std::map<int, int> samples;
  /// Real milliseconds from each large step up of the profile until the charge was there.
  std::vector<double> lag_ms;
  bool peak_missed = false;  ///< the charge never reached the highest point of the profile
  double cpu_s = 0;          ///< real CPU time to fill memory and to give it back
  friend bool operator==(const MemoryFidelity&, const MemoryFidelity&) = default;
};

/// Times of a task's sleep and CPU work, between the reading of its inputs and the writing of its
/// outputs. An executor has one such time for each part.
struct WorkTime {
  EmuTime ideal;  ///< ideal_time() of the work
  EmuTime took;   ///< as the worker measured it
  friend bool operator==(const WorkTime&, const WorkTime&) = default;
};

/// A read or write that a worker made for a container.
struct TransferTime {
  bool write = false;
  EmuBytes size;  ///< more than 0
  /// The node that supplied the data of a read, or the other nodes that got a copy of a write.
  std::vector<NodeId> nodes;
  EmuTime begun;     ///< since the container's start
  EmuTime took;      ///< until the end of the transfer, or of the container if that came first
  bool done = true;  ///< false: the transfer failed or was cancelled
  friend bool operator==(const TransferTime&, const TransferTime&) = default;
};

/// Largest number of work times and of transfers that an AttemptUsage lists. Further ones are left
/// out.
inline constexpr std::size_t kMaxTimes = 2000;

/// How the peak of a container's memory was found. kKernel: the kernel counted it. kSamples: the
/// largest sample, because the kernel's own peak includes page cache. kLimit: the kernel killed a
/// process for the container's limit, so the peak is the limit. Simulations have kKernel only.
enum class PeakMethod { kKernel, kSamples, kLimit };

/// Measurements that the worker made of a finished attempt, in emulated units.
struct AttemptUsage {
  CoreTime cpu;                    ///< CPU used
  EmuBytes peak_memory;            ///< highest use, without page cache that can be taken back
  double memory_byte_seconds = 0;  ///< integral of the charge over emulated time
  EmuTime ideal;                   ///< ideal duration; 0 if not known
  bool contended = false;          ///< got less CPU than it could use, at some time
  EmuTime host_lost;               ///< time lost because the host was overloaded
  EmuBytes read_local;             ///< read from the data service of the attempt's own node
  EmuBytes read_remote;
  EmuBytes written;  ///< without copies
  std::optional<MemoryFidelity> memory =
      {};  ///< nullopt: the task has no profile, or nobody measured
  /// Work without contention and suspension, of tasks that have no `ideal` because they also wait,
  /// read or write. A simulation lists none.
  std::vector<WorkTime> work = {};
  std::vector<TransferTime> transfers =
      {};  ///< in the order of their ends. A simulation lists none
  PeakMethod peak_method = PeakMethod::kKernel;
  friend bool operator==(const AttemptUsage&, const AttemptUsage&) = default;
};

struct ContainerUse {
  ContainerId container;
  CoreTime cpu;         ///< since the container started
  EmuBytes memory;      ///< current
  double progress = 0;  ///< 0..1
  /// Bytes since the container started. `disk`: read from or written to the disk of the container's
  /// node. `network`: moved between this node and other nodes.
  EmuBytes disk = {}, network = {};
  friend bool operator==(const ContainerUse&, const ContainerUse&) = default;
};

/// Measured use of a node: the mean number of cores since its previous report, and the current
/// memory.
struct NodeUse {
  Resources containers;  ///< all containers, also those that ended since that report
  Resources node;        ///< everything that runs there: containers, system, external load
  friend bool operator==(const NodeUse&, const NodeUse&) = default;
};

struct UsageEstimate {
  double cores = 0;
  double memory = 0;  ///< bytes
  friend bool operator==(const UsageEstimate&, const UsageEstimate&) = default;
};
/// Estimates for the two parts of NodeUse (core/model/usage_estimator.h).
struct NodeEstimate {
  UsageEstimate containers, node;
  friend bool operator==(const NodeEstimate&, const NodeEstimate&) = default;
};

// Every event has a kName, which is its name in journal lines, messages and reasons.

/// The job takes part in scheduling from now on: its submit time has come, and the conditions on
/// other jobs hold (JobSpec::after).
struct JobSubmitted {
  static constexpr std::string_view kName = "job_submitted";
  JobId job;
};
struct NodeRegistered {
  static constexpr std::string_view kName = "node_registered";
  NodeId node;
};
/// A node was lost. `returns`: the node is expected back. If it does not come back, a second event
/// without `returns` follows.
struct NodeLost {
  static constexpr std::string_view kName = "node_lost";
  NodeId node;
  std::string reason;
  bool returns = false;
};
/// The node takes no tasks for a while, because its machine could not start the last tasks.
/// Containers that run on the node continue.
struct NodeDrained {
  static constexpr std::string_view kName = "node_drained";
  NodeId node;
  std::string reason;
};
/// A drained node takes tasks again.
struct NodeRestored {
  static constexpr std::string_view kName = "node_restored";
  NodeId node;
};
/// A node's periodic report. With `dispatch: heartbeat`, the policy can place tasks on the node
/// only at this time.
struct NodeHeartbeat {
  static constexpr std::string_view kName = "heartbeat";
  NodeId node;
  std::vector<ContainerUse> containers = {};  ///< all that are alive on the node
  NodeUse use = {};
  /// Set if the worker makes the estimate (`estimate_at: worker`).
  std::optional<NodeEstimate> estimate = {};
};
/// The external load of a node has changed to `load`. External load is outside of all containers.
/// Policies see it only in measurements.
struct ExternalLoad {
  static constexpr std::string_view kName = "external_load";
  NodeId node;
  Resources load;
};
struct ContainerStarted {
  static constexpr std::string_view kName = "container_started";
  ContainerId container;
};
struct ContainerEnded {
  static constexpr std::string_view kName = "container_ended";
  ContainerId container;
  Outcome outcome = Outcome::kCompleted;
  OomCause oom = OomCause::kNone;
  int exit_code = 0;   ///< of the process; 128+n if signal n ended it
  std::string reason;  ///< a sentence for users
  AttemptUsage usage;
};
/// A task, or a part of an executor, has read all its data, and its work begins.
struct InputsRead {
  static constexpr std::string_view kName = "inputs_read";
  ContainerId container;
};
/// An executor has completed a part of a stage.
struct PartDone {
  static constexpr std::string_view kName = "part_done";
  ContainerId container;
  int part = 0;
};
/// An input of a task is no longer available on the nodes that were announced to the task. The task
/// continues to wait.
struct InputLost {
  static constexpr std::string_view kName = "input_lost";
  ContainerId container;
  int source = 0;
  std::uint64_t object = 0;
  std::string reason;
};
struct ContainerSuspended {
  static constexpr std::string_view kName = "container_suspended";
  ContainerId container;
};
struct ContainerResumed {
  static constexpr std::string_view kName = "container_resumed";
  ContainerId container;
};
/// An action of the previous step was not carried out.
struct ActionRefused {
  static constexpr std::string_view kName = "action_refused";
  std::string action;
  std::string reason;
};
/// The time that a WakeAt requested is reached.
struct Wake {
  static constexpr std::string_view kName = "wake";
};
/// An external policy has replied to a request (external/external_policy.h). The policy's actions
/// follow from its replies, so a replay of the journal needs no program.
struct PolicyReplied {
  static constexpr std::string_view kName = "policy_replied";
  std::int64_t request = 0;
  EmuTime asked;      ///< time of the request
  std::string reply;  ///< as the program sent it
};

/// Describes what has happened at an emulated time. The events of a step are folded into the state
/// in their order.
struct Event {
  EmuTime at;
  std::variant<JobSubmitted, NodeRegistered, NodeLost, NodeHeartbeat, ContainerStarted,
               ContainerEnded, InputsRead, PartDone, InputLost, ContainerSuspended,
               ContainerResumed, ActionRefused, Wake, ExternalLoad, NodeDrained, NodeRestored,
               PolicyReplied>
      what;
};

}  // namespace heddle
