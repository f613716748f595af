#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/ids.h"
#include "common/scale.h"
#include "core/model/action.h"
#include "core/model/event.h"
#include "core/model/usage_estimator.h"
#include "core/scenario/faults.h"
#include "core/scenario/scenario.h"

namespace heddle::wire {

/// Version of the protocol. It increases when the meaning of a message changes. A Hello with
/// another version is refused with an ErrorMessage.
inline constexpr int kProtocol = 11;

// The master and a worker exchange two ordered streams. The entries of each stream are numbered
// from 1. The sender repeats all entries from the first unacknowledged one on (go-back-N).
// Therefore, if a message is lost, no entry is lost or handled twice. The streams are: commands
// master -> worker, acknowledged by Heartbeat::last_command reports worker -> master, acknowledged
// by HeartbeatReply::last_report The receiver ignores an entry that it has handled, and an entry
// whose number does not follow the last handled number.
//
// Every alternative of a variant has a kName, which is its name in the text of messages.

// Worker to master ------------------------------------------------------------------------------

/// The resources of a machine that its worker can use.
struct HostFacts {
  std::string name;  ///< name of the host
  real::Cpus cpus;
  real::Bytes memory;
};

/// The first message of a worker. After a Rejoin, the worker sends it again with another
/// incarnation. After an Introduce, the worker sends it again with the same incarnation.
struct Hello {
  static constexpr std::string_view kName = "hello";
  int protocol = kProtocol;
  std::string run;                ///< run id; "": the run of the master
  std::string node;               ///< name of the node to emulate; "": any node that fits
  std::uint64_t incarnation = 0;  ///< random; new for each process and after each Rejoin
  std::int64_t pid = 0;
  std::int64_t monotonic_ns = 0;  ///< the worker's CLOCK_MONOTONIC when sent
  std::string data;               ///< endpoint of its data service; "": no data service
  std::string data_key = {};      ///< public key of that service; "": no key needed
  std::string version = {};       ///< version of the program
  /// Identifies the CLOCK_MONOTONIC that the worker reads (common/host_clock.h). "": the same clock
  /// as the master's.
  std::string clock = {};
  std::optional<HostFacts> host = {};  ///< set if the worker can be on another host
  /// State of this incarnation after it has joined (see Introduce): the highest command that was
  /// handled, and the highest report that was acknowledged.
  std::int64_t last_command = 0;
  std::int64_t last_report = 0;
};

/// Reports that the worker did not carry out a command for the container. `reason` names the
/// command.
struct CommandRefused {
  static constexpr std::string_view kName = "command_refused";
  ContainerId container;
  std::string reason;
};
/// A worker's report on a container. The report has one of the events of core/model/event.h that a
/// worker can observe, or a CommandRefused. Other events are not allowed. Reports are sent at once.
struct Report {
  std::int64_t number = 0;
  std::int64_t monotonic_ns = 0;  ///< worker's clock at the event
  std::variant<ContainerStarted, ContainerEnded, ContainerSuspended, ContainerResumed, InputsRead,
               PartDone, InputLost, CommandRefused>
      what;

  ContainerId container() const {
    return std::visit([](const auto& event) { return event.container; }, what);
  }
  /// Returns the reason of the event. Returns "" if the event has no reason.
  std::string reason() const {
    const auto reason_of = [](const auto& event) {
      if constexpr (requires { event.reason; })
        return event.reason;
      else
        return std::string();
    };
    return std::visit(reason_of, what);
  }
};
/// Maximum number of reports in one message, and maximum bytes of a reason. They exist because the
/// master limits the size of messages (kMaxToMaster). Further reports wait for the next message.
inline constexpr std::ptrdiff_t kMostReports = 1000;
inline constexpr std::size_t kLongestReason = 1000;
struct Reports {
  static constexpr std::string_view kName = "reports";
  std::uint64_t incarnation = 0;
  std::vector<Report> reports;
};

/// The last time of the master's clock that the worker received, and the time of the worker's clock
/// when it arrived. The master uses both to measure the difference of the clocks
/// (master/clock_offset.h).
struct ClockEcho {
  std::int64_t master_ns = 0;
  std::int64_t received_ns = 0;
};

struct Heartbeat {
  static constexpr std::string_view kName = "heartbeat";
  std::uint64_t incarnation = 0;
  std::int64_t sequence = 0;
  std::int64_t monotonic_ns = 0;         ///< the worker's CLOCK_MONOTONIC when sent
  std::int64_t last_command = 0;         ///< highest command that was handled
  std::vector<Report> reports;           ///< the first kMostReports not yet acknowledged
  std::vector<ContainerUse> containers;  ///< every live container of the node, by id
  CoreTime node_cpu;  ///< CPU use of the node's control group since the run began
  EmuBytes node_memory;
  NodeUse use;
  std::optional<NodeEstimate> estimate;  ///< set if the worker makes the estimate
  double worker_cpu_s = 0;               ///< real CPU seconds of the worker process itself
  double data_cpu_s = 0;                 ///< the part of worker_cpu_s that the data service used
  std::optional<ClockEcho> echo = {};
  /// How long after its due time the heartbeat was sent, because the machine is slow. Delays by
  /// faults of the scenario do not count.
  real::Duration late{0};
};

/// Answer to a Probe. `reason` says why no process could be started. "": a process could be
/// started.
struct Probed {
  static constexpr std::string_view kName = "probed";
  std::uint64_t incarnation = 0;
  std::string reason;
};

/// Tells that the worker ends, after a Shutdown or a signal. All its tasks have ended.
struct Goodbye {
  static constexpr std::string_view kName = "goodbye";
  std::uint64_t incarnation = 0;
  std::string reason;
  double worker_cpu_s = 0;
  double data_cpu_s = 0;
};

// Master to worker ------------------------------------------------------------------------------

/// Answer to a Hello. Describes the node that the worker emulates. Times and sizes of type EmuTime
/// and EmuBytes are emulated, and the others are real.
struct Welcome {
  static constexpr std::string_view kName = "welcome";
  NodeId node;
  NodeSpec spec;
  Scale scale;
  CpuLimit cpu_limit = CpuLimit::kStrict;
  Pacing pacing = Pacing::kLine;
  bool swap = false;
  SuspendWith suspend_with = SuspendWith::kSignal;
  real::Bytes overhead;
  EmuTime heartbeat;
  EmuTime node_timeout;
  /// Maximum number of live containers at the same time. A program outside of all containers counts
  /// as one more. The node's memory limit depends on this number.
  int max_containers = 0;
  /// If set, the worker must estimate what the node uses.
  std::optional<Damping> estimate = {};
  EmuTime suspend_cost = {};  ///< time for which a resumed container gets no CPU
  NodeUseFrom node_use = NodeUseFrom::kGroups;
  OomPreference oom_preference = OomPreference::kKernel;
  int cpu_weight = kLargestCpuWeight;  ///< of the run's group, on the scale of cgroup v2
  std::string run = {};                ///< run id
  std::int64_t master_ns = 0;          ///< the master's CLOCK_MONOTONIC when sent; 0: not given
  std::uint64_t incarnation = 0;       ///< incarnation in the Hello
};

/// Orders a worker to start a container. Has all data of a Launch that the worker needs, because
/// workers do not know the scenario.
struct LaunchCommand {
  static constexpr std::string_view kName = "launch";
  ContainerId container;
  std::string job;  ///< names of job and phase, for logs and the task's command line
  std::string phase;
  int task = 0;
  int attempt = 1;
  Resources resources;
  TaskWork work;
  /// A user's program that runs instead of the work, with its arguments. Empty: no program.
  /// job_spec.h has the limits. The worker replaces {job}, {task} and {attempt} in the arguments.
  std::vector<std::string> command = {};
  real::Bytes output_limit = kOutputLimit;  ///< limit of that program's output
  /// Environment variables of that program, beside those that every program gets: the devices that
  /// it holds (core/scenario/device_env.h).
  std::vector<std::string> environment = {};
};
/// Tells that the job has ended and the outputs of its tasks are no longer needed. The worker does
/// not answer.
struct ForgetCommand {
  static constexpr std::string_view kName = "forget";
  std::string job;
};
/// Announces that node `from` will ask this node's data service to store a copy of an object. A
/// task on `from` writes the object. A worker makes only announced copies. The worker does not
/// answer.
struct ExpectCommand {
  static constexpr std::string_view kName = "expect";
  std::uint64_t object = 0;
  EmuBytes size;
  bool kept = true;  ///< see DataWrite::kept
  NodeId from;
};
/// Tells the worker to apply a fault of the scenario to itself, or to set new conditions of its
/// node (changes_conditions). The worker does not answer.
struct FaultCommand {
  static constexpr std::string_view kName = "fault";
  FaultKind kind = FaultKind::kKillWorker;
  EmuTime lasts;              ///< kFreezeWorker, kPartition
  NodeConditions conditions;  ///< for all other kinds except kKillWorker
};
/// An order to a worker. It is an action on a container of the worker's node (core/model/action.h),
/// a change of the node's external load, or an order that exists only for workers. A worker does
/// not answer InputsReady, and does not answer commands without a container.
struct Command {
  std::int64_t number = 0;
  std::variant<LaunchCommand, Kill, Suspend, Resume, InputsReady, Fetch, RunPart, Finish,
               ForgetCommand, ExpectCommand, ExternalLoad, FaultCommand>
      what;
};
/// Commands that do not wait for a heartbeat. These are all commands with `dispatch: immediate`,
/// and otherwise kills, suspends, resumes and InputsReady.
struct Commands {
  static constexpr std::string_view kName = "commands";
  std::uint64_t incarnation = 0;
  std::vector<Command> commands;
};

struct HeartbeatReply {
  static constexpr std::string_view kName = "heartbeat_reply";
  std::uint64_t incarnation = 0;
  std::int64_t sequence = 0;
  std::int64_t last_report = 0;   ///< highest report that was handled
  std::vector<Command> commands;  ///< all unacknowledged commands
  std::int64_t master_ns = 0;     ///< the master's CLOCK_MONOTONIC when sent; 0: not given
  /// How long each side may be silent from this heartbeat on. 0: as long as before.
  real::Duration silence{0};
};

/// Sets the worker's heartbeat schedule. The next heartbeat is due after `next_in`, and one
/// heartbeat follows after each period. The master spreads the heartbeats of its nodes over the
/// period (ClusterSpec::beat_offset).
struct Beat {
  static constexpr std::string_view kName = "beat";
  real::Duration next_in{0};
  /// CLOCK_MONOTONIC then, for a worker that reads the same clock as the master; 0: not given.
  std::int64_t due_ns = 0;
};

/// Endpoints of the nodes' data services, by node. "": the data service is not available.
struct Peers {
  static constexpr std::string_view kName = "peers";
  std::vector<std::string> data;
  std::vector<std::string> keys = {};  ///< public keys of the services, by node; empty without TCP
};

/// Orders the worker to end all its tasks and then itself.
struct Shutdown {
  static constexpr std::string_view kName = "shutdown";
  std::string reason;
};
/// Tells that the master has declared this incarnation lost. The worker must kill all containers
/// and send a new Hello.
struct Rejoin {
  static constexpr std::string_view kName = "rejoin";
  std::string reason;
  std::uint64_t incarnation = 0;
};
/// Asks the worker to send its Hello again. A restarted master sends this message if it knows the
/// incarnation only from its journal. The containers of the worker continue.
struct Introduce {
  static constexpr std::string_view kName = "introduce";
  std::uint64_t incarnation = 0;
};

/// Asks the worker of a drained node to start a process in a container as for a task, to end the
/// process, and to report whether this succeeded. A Probe is not a Command. If it is lost, the
/// master sends another one.
struct Probe {
  static constexpr std::string_view kName = "probe";
  std::uint64_t incarnation = 0;
};

// Both directions -----------------------------------------------------------------------------

/// Tells the peer that its last message was not understood or not allowed.
struct ErrorMessage {
  static constexpr std::string_view kName = "error";
  std::string text;
  bool fatal = false;
};

using Message = std::variant<Hello, Reports, Heartbeat, Goodbye, Welcome, Commands, HeartbeatReply,
                             Beat, Shutdown, Rejoin, ErrorMessage, Peers, Introduce, Probe, Probed>;

inline std::string_view name_of(const Message& message) {
  return std::visit([](const auto& one) { return one.kName; }, message);
}

}  // namespace heddle::wire
