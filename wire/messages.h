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

/// Raised when a message changes its meaning; a hello of another version is refused with an Error.
inline constexpr int kProtocol = 9;

// Two ordered streams run between the master and one worker, each numbered from 1 and repeated from
// the first unacknowledged entry on (go-back-N), so that nothing is lost or done twice when a
// message is:
//   commands  master -> worker, acknowledged by Heartbeat::last_command
//   reports   worker -> master, acknowledged by HeartbeatReply::last_report
// Both sides ignore numbers they have handled, and numbers that leave a gap.
//
// Every alternative of a variant has a kName, by which messages name it.

// Worker to master ------------------------------------------------------------------------------

/// What a worker may use of the machine it is on.
struct HostFacts {
  std::string name;  ///< the host's
  real::Cpus cpus;
  real::Bytes memory;
};

/// First message of a worker; again after its life began anew, with another incarnation, and when
/// it is asked to introduce itself, with the same.
struct Hello {
  static constexpr std::string_view kName = "hello";
  int protocol = kProtocol;
  std::string run;                ///< run id; "": whichever the master has
  std::string node;               ///< the scenario's name of the node it plays; "": any that fits
  std::uint64_t incarnation = 0;  ///< random per worker process
  std::int64_t pid = 0;
  std::int64_t monotonic_ns = 0;  ///< the worker's CLOCK_MONOTONIC when sent
  std::string data;               ///< endpoint of its data service; empty: it has none
  std::string data_key = {};      ///< public key of that service; "" where it needs none
  std::string version = {};       ///< of the program
  /// Whose CLOCK_MONOTONIC it reads: the kernel's boot and the time namespace; "": the master's.
  std::string clock = {};
  std::optional<HostFacts> host = {};  ///< where that need not be the master's host
  /// Of this incarnation, once it has joined (see Introduce): highest command handled, highest
  /// report acknowledged.
  std::int64_t last_command = 0;
  std::int64_t last_report = 0;
};

/// The worker did not carry out a command for the container. `reason` names the command.
struct CommandRefused {
  static constexpr std::string_view kName = "command_refused";
  ContainerId container;
  std::string reason;
};
/// What happened to a container: the events of core that a worker can know of, and no others.
/// Reports go out at once.
struct Report {
  std::int64_t number = 0;
  std::int64_t monotonic_ns = 0;  ///< when it happened, worker's clock
  std::variant<ContainerStarted, ContainerEnded, ContainerSuspended, ContainerResumed, InputsRead,
               PartDone, InputLost, CommandRefused>
      what;

  ContainerId container() const {
    return std::visit([](const auto& event) { return event.container; }, what);
  }
  /// "" for an event that has none.
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
/// Reports in one message, and bytes of a reason: a master does not take messages of any size
/// (kMaxToMaster). What does not fit waits for the next message.
inline constexpr std::ptrdiff_t kMostReports = 1000;
inline constexpr std::size_t kLongestReason = 1000;
struct Reports {
  static constexpr std::string_view kName = "reports";
  std::uint64_t incarnation = 0;
  std::vector<Report> reports;
};

/// The last time that the master told, and what the worker's clock showed when it came: half of a
/// measurement of how their clocks differ (master/clock_offset.h).
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
  std::vector<ContainerUse> containers;  ///< every container alive here, by id: the whole list
  CoreTime node_cpu;                     ///< use of the node's group since the run began
  EmuBytes node_memory;
  NodeUse use;
  std::optional<NodeEstimate> estimate;  ///< where the worker makes it
  double worker_cpu_s = 0;               ///< real CPU seconds of the worker process itself
  double data_cpu_s = 0;                 ///< those of them that its data service used
  std::optional<ClockEcho> echo = {};
};

/// Answer to a Probe: why no task could be started; "" if one could.
struct Probed {
  static constexpr std::string_view kName = "probed";
  std::uint64_t incarnation = 0;
  std::string reason;
};

/// The worker is leaving: after a Shutdown (or a signal), all its tasks are gone.
struct Goodbye {
  static constexpr std::string_view kName = "goodbye";
  std::uint64_t incarnation = 0;
  std::string reason;
  double worker_cpu_s = 0;
  double data_cpu_s = 0;
};

// Master to worker ------------------------------------------------------------------------------

/// Answer to a Hello: what this worker plays. Times and sizes are emulated but for `scale`.
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
  /// Most that can be alive at once, with a program outside of any; for sizing the node's memory
  /// limit.
  int max_containers = 0;
  /// The worker is to estimate what the node uses.
  std::optional<Damping> estimate = {};
  EmuTime suspend_cost = {};  ///< for which the line of a resumed container stays at 0
  NodeUseFrom node_use = NodeUseFrom::kGroups;
  OomPreference oom_preference = OomPreference::kKernel;
  std::string run = {};           ///< run id
  std::int64_t master_ns = 0;     ///< the master's CLOCK_MONOTONIC when sent; 0: not told
  std::uint64_t incarnation = 0;  ///< of the Hello that it answers
};

/// A Launch in the words of a worker, which does not know the scenario.
struct LaunchCommand {
  static constexpr std::string_view kName = "launch";
  ContainerId container;
  std::string job;  ///< names, for logs and the task's command line
  std::string phase;
  int task = 0;
  int attempt = 1;
  Resources resources;
  TaskWork work;
  /// A program of the user's, to be run instead of the work; empty: none. Bounds: scenario.h.
  /// {job}, {task} and {attempt} in the arguments are the worker's to replace.
  std::vector<std::string> command = {};
  real::Bytes output_limit = kOutputLimit;  ///< of that program
};
/// The job has ended: what its tasks have handed over is no longer needed; unanswered.
struct ForgetCommand {
  static constexpr std::string_view kName = "forget";
  std::string job;
};
/// Node `from` will ask this one's data service for a copy of an object that a task of its writes.
/// A worker makes no copies but these; unanswered.
struct ExpectCommand {
  static constexpr std::string_view kName = "expect";
  std::uint64_t object = 0;
  EmuBytes size;
  bool kept = true;  ///< as DataWrite::kept
  NodeId from;
};
/// A fault that the scenario asks for, which the worker brings upon itself, or conditions that hold
/// on its node from now on (changes_conditions); unanswered.
struct FaultCommand {
  static constexpr std::string_view kName = "fault";
  FaultKind kind = FaultKind::kKillWorker;
  EmuTime lasts;              ///< kFreezeWorker, kPartition
  NodeConditions conditions;  ///< of the other kinds but kKillWorker
};
/// What a worker is to do: the actions of core that concern a container of its node, a change of
/// the node's external load, and what only workers do. A worker answers neither InputsReady nor
/// commands that concern no container.
struct Command {
  std::int64_t number = 0;
  std::variant<LaunchCommand, Kill, Suspend, Resume, InputsReady, Fetch, RunPart, Finish,
               ForgetCommand, ExpectCommand, ExternalLoad, FaultCommand>
      what;
};
/// Commands that don't wait for a heartbeat (`dispatch: immediate`, kills, suspends,
/// resumes, inputs that are ready).
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
  std::vector<Command> commands;  ///< all not yet acknowledged
  std::int64_t master_ns = 0;     ///< the master's CLOCK_MONOTONIC when sent; 0: not told
};

/// The worker's next heartbeat is due after `next_in`, those that follow a period apart: the master
/// spreads its nodes over the period (ClusterSpec::beat_offset).
struct Beat {
  static constexpr std::string_view kName = "beat";
  real::Duration next_in{0};
};

/// Where the nodes' data services are, by node; empty text: not there (any more).
struct Peers {
  static constexpr std::string_view kName = "peers";
  std::vector<std::string> data;
  std::vector<std::string> keys = {};  ///< their public keys likewise; none at all without TCP
};

/// End everything and leave.
struct Shutdown {
  static constexpr std::string_view kName = "shutdown";
  std::string reason;
};
/// The master has given this incarnation up (declared lost): kill all, say Hello anew.
struct Rejoin {
  static constexpr std::string_view kName = "rejoin";
  std::string reason;
  std::uint64_t incarnation = 0;
};
/// A master that was started anew knows this incarnation from its journal only: say Hello again.
/// Nothing is given up.
struct Introduce {
  static constexpr std::string_view kName = "introduce";
  std::uint64_t incarnation = 0;
};

/// The node is drained: start a process in a container as for a task, end it, and say whether that
/// worked. Not part of the commands, as nothing depends on it: a probe that is lost is sent again.
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
