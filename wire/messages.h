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

/// Version of the protocol; increased when a message changes its meaning. A hello of another
/// version is refused with an Error.
inline constexpr int kProtocol = 9;

// Two ordered streams run between the master and one worker. Each is numbered from 1 and repeated
// from the first unacknowledged entry on (go-back-N), so a lost message causes no entry to be lost
// or handled twice:
//   commands  master -> worker, acknowledged by Heartbeat::last_command
//   reports   worker -> master, acknowledged by HeartbeatReply::last_report
// Both sides ignore numbers that they have handled, and numbers that leave a gap.
//
// Every alternative of a variant has a kName. Messages name the alternative by it.

// Worker to master ------------------------------------------------------------------------------

/// The resources of its machine that a worker may use.
struct HostFacts {
  std::string name;  ///< name of the host
  real::Cpus cpus;
  real::Bytes memory;
};

/// First message of a worker. It is repeated with another incarnation after the worker had to
/// rejoin, and with the same incarnation when the worker is asked to introduce itself.
struct Hello {
  static constexpr std::string_view kName = "hello";
  int protocol = kProtocol;
  std::string run;                ///< run id; "": any run that the master has
  std::string node;               ///< name of the node that it plays; "": any that fits
  std::uint64_t incarnation = 0;  ///< random; a new one for each process, and after each Rejoin
  std::int64_t pid = 0;
  std::int64_t monotonic_ns = 0;  ///< the worker's CLOCK_MONOTONIC when sent
  std::string data;               ///< endpoint of its data service; "": it has none
  std::string data_key = {};      ///< public key of that service; "" if it needs none
  std::string version = {};       ///< version of the program
  /// Identifies the CLOCK_MONOTONIC that the worker reads: the kernel's boot and the time
  /// namespace. "": the same as the master's.
  std::string clock = {};
  std::optional<HostFacts> host = {};  ///< set if the worker may be on another host than the master
  /// State of this incarnation, once it has joined (see Introduce): highest command handled,
  /// highest report acknowledged.
  std::int64_t last_command = 0;
  std::int64_t last_report = 0;
};

/// The worker did not carry out a command for the container. `reason` names the command.
struct CommandRefused {
  static constexpr std::string_view kName = "command_refused";
  ContainerId container;
  std::string reason;
};
/// A worker's report on a container: an event of core that a worker can know about. Other events
/// are not allowed. Reports are sent at once.
struct Report {
  std::int64_t number = 0;
  std::int64_t monotonic_ns = 0;  ///< worker's clock when it happened
  std::variant<ContainerStarted, ContainerEnded, ContainerSuspended, ContainerResumed, InputsRead,
               PartDone, InputLost, CommandRefused>
      what;

  ContainerId container() const {
    return std::visit([](const auto& event) { return event.container; }, what);
  }
  /// Returns the event's reason; "" if it has none.
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
/// Limits on the reports in one message and on the bytes of a reason, because the master limits the
/// size of messages (kMaxToMaster). Further reports wait for the next message.
inline constexpr std::ptrdiff_t kMostReports = 1000;
inline constexpr std::size_t kLongestReason = 1000;
struct Reports {
  static constexpr std::string_view kName = "reports";
  std::uint64_t incarnation = 0;
  std::vector<Report> reports;
};

/// The last master time that the worker received, and the worker's clock when it arrived. Together
/// they are half of a measurement of the clocks' difference (master/clock_offset.h).
struct ClockEcho {
  std::int64_t master_ns = 0;
  std::int64_t received_ns = 0;
};

struct Heartbeat {
  static constexpr std::string_view kName = "heartbeat";
  std::uint64_t incarnation = 0;
  std::int64_t sequence = 0;
  std::int64_t monotonic_ns = 0;         ///< the worker's CLOCK_MONOTONIC when sent
  std::int64_t last_command = 0;         ///< highest command handled
  std::vector<Report> reports;           ///< the first kMostReports not yet acknowledged
  std::vector<ContainerUse> containers;  ///< every container alive on the node, by id
  CoreTime node_cpu;                     ///< use of the node's group since the run began
  EmuBytes node_memory;
  NodeUse use;
  std::optional<NodeEstimate> estimate;  ///< set if the worker makes the estimate
  double worker_cpu_s = 0;               ///< real CPU seconds of the worker process itself
  double data_cpu_s = 0;                 ///< part of worker_cpu_s that its data service used
  std::optional<ClockEcho> echo = {};
};

/// Answer to a Probe: why no task could be started; "" if one could.
struct Probed {
  static constexpr std::string_view kName = "probed";
  std::uint64_t incarnation = 0;
  std::string reason;
};

/// The worker is leaving after a Shutdown or a signal, and all its tasks are gone.
struct Goodbye {
  static constexpr std::string_view kName = "goodbye";
  std::uint64_t incarnation = 0;
  std::string reason;
  double worker_cpu_s = 0;
  double data_cpu_s = 0;
};

// Master to worker ------------------------------------------------------------------------------

/// Answer to a Hello: the node that the worker plays. Times and sizes are emulated except for
/// `scale`.
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
  /// Maximum number of containers alive at the same time, plus a program outside of all containers.
  /// Used for sizing the node's memory limit.
  int max_containers = 0;
  /// If set, the worker is to estimate what the node uses.
  std::optional<Damping> estimate = {};
  EmuTime suspend_cost = {};  ///< how long the line of a resumed container stays at 0
  NodeUseFrom node_use = NodeUseFrom::kGroups;
  OomPreference oom_preference = OomPreference::kKernel;
  std::string run = {};           ///< run id
  std::int64_t master_ns = 0;     ///< the master's CLOCK_MONOTONIC when sent; 0: not given
  std::uint64_t incarnation = 0;  ///< incarnation of the Hello that it answers
};

/// A Launch for a worker, which does not know the scenario.
struct LaunchCommand {
  static constexpr std::string_view kName = "launch";
  ContainerId container;
  std::string job;  ///< job and phase are names, for logs and the task's command line
  std::string phase;
  int task = 0;
  int attempt = 1;
  Resources resources;
  TaskWork work;
  /// A user's program that runs instead of the work; empty: none. Limits: job_spec.h. The worker
  /// replaces {job}, {task} and {attempt} in the arguments.
  std::vector<std::string> command = {};
  real::Bytes output_limit = kOutputLimit;  ///< limit of that program's output
};
/// The job has ended, and outputs of its tasks are no longer needed. Has no answer.
struct ForgetCommand {
  static constexpr std::string_view kName = "forget";
  std::string job;
};
/// Announces that node `from` will ask this node's data service for a copy of an object that one of
/// its tasks writes. A worker makes only announced copies. Has no answer.
struct ExpectCommand {
  static constexpr std::string_view kName = "expect";
  std::uint64_t object = 0;
  EmuBytes size;
  bool kept = true;  ///< see DataWrite::kept
  NodeId from;
};
/// A fault of the scenario that the worker applies to itself, or new conditions of its node
/// (changes_conditions). Has no answer.
struct FaultCommand {
  static constexpr std::string_view kName = "fault";
  FaultKind kind = FaultKind::kKillWorker;
  EmuTime lasts;              ///< kFreezeWorker, kPartition
  NodeConditions conditions;  ///< for the other kinds except kKillWorker
};
/// An order to a worker: an action of core on a container of its node, a change of the node's
/// external load, or an order that only workers handle. A worker answers neither InputsReady nor
/// commands that concern no container.
struct Command {
  std::int64_t number = 0;
  std::variant<LaunchCommand, Kill, Suspend, Resume, InputsReady, Fetch, RunPart, Finish,
               ForgetCommand, ExpectCommand, ExternalLoad, FaultCommand>
      what;
};
/// Commands that don't wait for a heartbeat (`dispatch: immediate`, kills, suspends, resumes,
/// inputs that are ready).
struct Commands {
  static constexpr std::string_view kName = "commands";
  std::uint64_t incarnation = 0;
  std::vector<Command> commands;
};

struct HeartbeatReply {
  static constexpr std::string_view kName = "heartbeat_reply";
  std::uint64_t incarnation = 0;
  std::int64_t sequence = 0;
  std::int64_t last_report = 0;   ///< highest report handled
  std::vector<Command> commands;  ///< all commands not yet acknowledged
  std::int64_t master_ns = 0;     ///< the master's CLOCK_MONOTONIC when sent; 0: not given
};

/// The worker's heartbeat schedule: the next heartbeat is due after `next_in`, and later ones
/// follow at intervals of a period. The master spreads its nodes over the period
/// (ClusterSpec::beat_offset).
struct Beat {
  static constexpr std::string_view kName = "beat";
  real::Duration next_in{0};
};

/// Endpoints of the nodes' data services, by node; "": not available (any more).
struct Peers {
  static constexpr std::string_view kName = "peers";
  std::vector<std::string> data;
  std::vector<std::string> keys = {};  ///< their public keys, by node; empty without TCP
};

/// Orders the worker to end everything and leave.
struct Shutdown {
  static constexpr std::string_view kName = "shutdown";
  std::string reason;
};
/// The master has declared this incarnation lost. The worker must kill all containers and send a
/// new Hello.
struct Rejoin {
  static constexpr std::string_view kName = "rejoin";
  std::string reason;
  std::uint64_t incarnation = 0;
};
/// A restarted master knows this incarnation from its journal only, and asks it to send its Hello
/// again. Nothing is given up.
struct Introduce {
  static constexpr std::string_view kName = "introduce";
  std::uint64_t incarnation = 0;
};

/// Asks the worker of a drained node to start a process in a container as for a task, end it, and
/// report whether that worked. A Probe is not among the commands, because nothing depends on it: a
/// lost probe is sent again.
struct Probe {
  static constexpr std::string_view kName = "probe";
  std::uint64_t incarnation = 0;
};

// Either way ------------------------------------------------------------------------------------

/// The peer's last message was not understood or not allowed.
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
