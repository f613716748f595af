#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "common/oom_cause.h"
#include "core/model/resources.h"

namespace heddle {

/// How an attempt ended. kLost: its node went away. kKilled: by us (a policy, or its job failed).
/// kNotStarted: its node's machine could not start it, so it was no attempt of the task.
enum class Outcome { kCompleted, kFailed, kOomKilled, kKilled, kLost, kNotStarted };

/// What the worker measured of a finished attempt, in emulated units.
struct AttemptUsage {
  CoreTime cpu;                    ///< CPU used
  EmuBytes peak_memory;            ///< highest charge, overhead excluded
  double memory_byte_seconds = 0;  ///< integral of the charge over emulated time
  EmuTime ideal;                   ///< the time it should have taken; 0 if not known
  bool contended = false;          ///< its CPU line was below full rate at some time
  EmuTime host_lost;               ///< time forfeited because the host was overloaded
  EmuBytes read_local;             ///< of its node's own data service
  EmuBytes read_remote;
  EmuBytes written;  ///< copies not counted
  friend bool operator==(const AttemptUsage&, const AttemptUsage&) = default;
};

struct ContainerUse {
  ContainerId container;
  CoreTime cpu;         ///< since its start
  EmuBytes memory;      ///< now
  double progress = 0;  ///< 0..1
  /// Since its start: read of and written to its own node's disk, and moved between it and other
  /// nodes.
  EmuBytes disk = {}, network = {};
  friend bool operator==(const ContainerUse&, const ContainerUse&) = default;
};

/// What was measured of a node: cores on average since its report before, memory now.
struct NodeUse {
  Resources containers;  ///< of all containers together, those too that ended in the meantime
  Resources node;        ///< of all that runs there: these, its system, external load
  friend bool operator==(const NodeUse&, const NodeUse&) = default;
};

struct UsageEstimate {
  double cores = 0;
  double memory = 0;  ///< bytes
  friend bool operator==(const UsageEstimate&, const UsageEstimate&) = default;
};
/// Of the same two as NodeUse (core/model/usage_estimator.h).
struct NodeEstimate {
  UsageEstimate containers, node;
  friend bool operator==(const NodeEstimate&, const NodeEstimate&) = default;
};

// Every event has a kName, by which journal lines, messages and reasons name it.

struct JobSubmitted {
  static constexpr std::string_view kName = "job_submitted";
  JobId job;
};
struct NodeRegistered {
  static constexpr std::string_view kName = "node_registered";
  NodeId node;
};
/// `returns`: it is expected back. Told once more without, if it does not come.
struct NodeLost {
  static constexpr std::string_view kName = "node_lost";
  NodeId node;
  std::string reason;
  bool returns = false;
};
/// The node takes no tasks for a while: its machine could not start the last ones. What runs there
/// goes on.
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
/// A node's periodic report; in `dispatch: heartbeat` the moment at which it is offered.
struct NodeHeartbeat {
  static constexpr std::string_view kName = "heartbeat";
  NodeId node;
  std::vector<ContainerUse> containers = {};  ///< all that are alive there
  NodeUse use = {};
  /// Where the worker makes it (`estimate_at: worker`).
  std::optional<NodeEstimate> estimate = {};
};
/// What runs on a node outside of any container has changed: it is this much now. Policies see it
/// in what is measured only.
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
  int exit_code = 0;   ///< of the process; 128+n if it died of signal n
  std::string reason;  ///< a sentence, for people
  AttemptUsage usage;
};
/// A task that has data to read (or an executor's part) has it all: its work begins.
struct InputsRead {
  static constexpr std::string_view kName = "inputs_read";
  ContainerId container;
};
/// An executor has done a part of a stage.
struct PartDone {
  static constexpr std::string_view kName = "part_done";
  ContainerId container;
  int part = 0;
};
/// An input of a task can't be had any more where it was said to be; the task goes on waiting.
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
/// An action of the step before was not carried out.
struct ActionRefused {
  static constexpr std::string_view kName = "action_refused";
  std::string action;
  std::string reason;
};
/// A time asked for by WakeAt has come.
struct Wake {
  static constexpr std::string_view kName = "wake";
};

/// Something that happened, at an emulated time. Events of one step are folded in order.
struct Event {
  EmuTime at;
  std::variant<JobSubmitted, NodeRegistered, NodeLost, NodeHeartbeat, ContainerStarted,
               ContainerEnded, InputsRead, PartDone, InputLost, ContainerSuspended,
               ContainerResumed, ActionRefused, Wake, ExternalLoad, NodeDrained, NodeRestored>
      what;
};

}  // namespace heddle
