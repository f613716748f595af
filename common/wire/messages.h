#pragma once

#include <cstdint>
#include <iterator>
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
inline constexpr int kProtocol = 8;

// Two ordered streams run between the master and one worker, each numbered from 1 and repeated from
// the first unacknowledged entry on (go-back-N), so that nothing is lost or done twice when a
// message is:
//   commands  master -> worker, acknowledged by Heartbeat::last_command
//   reports   worker -> master, acknowledged by HeartbeatReply::last_report
// Both sides ignore numbers they have handled, and numbers that leave a gap.

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

enum class ReportKind {
  kStarted,
  kEnded,
  kSuspended,
  kResumed,
  kRefused,
  kInputsRead,
  kPartDone,
  kInputLost
};
/// What became of a container. Reports go out at once.
struct Report {
  std::int64_t number = 0;
  std::int64_t monotonic_ns = 0;  ///< when it happened, worker's clock
  ReportKind kind = ReportKind::kStarted;
  ContainerId container;
  // kEnded
  Outcome outcome = Outcome::kCompleted;
  OomCause oom = OomCause::kNone;
  int exit_code = 0;
  std::string reason;  ///< also of kRefused and kInputLost
  AttemptUsage usage;
  int part = 0;              ///< kPartDone
  int source = 0;            ///< kInputLost
  std::uint64_t object = 0;  ///< kInputLost
};
/// Reports in one message, and bytes of a reason: a master does not take messages of any size
/// (kMaxToMaster). What does not fit waits for the next message.
inline constexpr std::ptrdiff_t kMostReports = 1000;
inline constexpr std::size_t kLongestReason = 1000;
struct Reports {
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
  std::uint64_t incarnation = 0;
  std::string reason;
};

/// The worker is leaving: after a Shutdown (or a signal), all its tasks are gone.
struct Goodbye {
  std::uint64_t incarnation = 0;
  std::string reason;
  double worker_cpu_s = 0;
  double data_cpu_s = 0;
};

// Master to worker ------------------------------------------------------------------------------

/// Answer to a Hello: what this worker plays. Times and sizes are emulated but for `scale`.
struct Welcome {
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

struct LaunchCommand {
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
struct KillCommand {
  ContainerId container;
};
struct SuspendCommand {
  ContainerId container;
};
struct ResumeCommand {
  ContainerId container;
};
/// The task of the container may go on (TaskWork::waits); unanswered.
struct InputsReadyCommand {
  ContainerId container;
};
struct FetchCommand {
  ContainerId container;
  std::vector<DataRead> reads;
};
struct RunPartCommand {
  ContainerId container;
  TaskPart part;
};
struct FinishCommand {
  ContainerId container;
};
/// The job has ended: what its tasks have handed over is no longer needed; unanswered.
struct ForgetCommand {
  std::string job;
};
/// Node `from` will ask this one's data service for a copy of an object that a task of its writes.
/// A worker makes no copies but these; unanswered.
struct ExpectCommand {
  std::uint64_t object = 0;
  EmuBytes size;
  bool kept = true;  ///< as DataWrite::kept
  NodeId from;
};
/// What runs on the node outside of any container is this much now; unanswered.
struct ExternalLoadCommand {
  Resources load;
};
/// A fault that the scenario asks for, which the worker brings upon itself, or conditions that hold
/// on its node from now on (changes_conditions); unanswered.
struct FaultCommand {
  FaultKind kind = FaultKind::kKillWorker;
  EmuTime lasts;              ///< kFreezeWorker, kPartition
  NodeConditions conditions;  ///< of the other kinds but kKillWorker
};
struct Command {
  std::int64_t number = 0;
  std::variant<LaunchCommand, KillCommand, SuspendCommand, ResumeCommand, InputsReadyCommand,
               FetchCommand, RunPartCommand, FinishCommand, ForgetCommand, ExternalLoadCommand,
               FaultCommand, ExpectCommand>
      what;
};
/// Commands that don't wait for a heartbeat (`dispatch: immediate`, kills, suspends,
/// resumes, inputs that are ready).
struct Commands {
  std::uint64_t incarnation = 0;
  std::vector<Command> commands;
};

struct HeartbeatReply {
  std::uint64_t incarnation = 0;
  std::int64_t sequence = 0;
  std::int64_t last_report = 0;   ///< highest report handled
  std::vector<Command> commands;  ///< all not yet acknowledged
  std::int64_t master_ns = 0;     ///< the master's CLOCK_MONOTONIC when sent; 0: not told
};

/// The worker's next heartbeat is due after `next_in`, those that follow a period apart: the master
/// spreads its nodes over the period (ClusterSpec::beat_offset).
struct Beat {
  real::Duration next_in{0};
};

/// Where the nodes' data services are, by node; empty text: not there (any more).
struct Peers {
  std::vector<std::string> data;
  std::vector<std::string> keys = {};  ///< their public keys likewise; none at all without TCP
};

/// End everything and leave.
struct Shutdown {
  std::string reason;
};
/// The master has given this incarnation up (declared lost): kill all, say Hello anew.
struct Rejoin {
  std::string reason;
  std::uint64_t incarnation = 0;
};
/// A master that was started anew knows this incarnation from its journal only: say Hello again.
/// Nothing is given up.
struct Introduce {
  std::uint64_t incarnation = 0;
};

/// The node is drained: start a process in a container as for a task, end it, and say whether that
/// worked. Not part of the commands, as nothing depends on it: a probe that is lost is sent again.
struct Probe {
  std::uint64_t incarnation = 0;
};

// Either way ------------------------------------------------------------------------------------

/// The peer's last message was not understood or not allowed.
struct ErrorMessage {
  std::string text;
  bool fatal = false;
};

using Message = std::variant<Hello, Reports, Heartbeat, Goodbye, Welcome, Commands, HeartbeatReply,
                             Beat, Shutdown, Rejoin, ErrorMessage, Peers, Introduce, Probe, Probed>;
/// Their names, in that order.
inline constexpr std::string_view kMessageKinds[] = {
    "hello",    "reports",         "heartbeat", "goodbye",  "welcome",
    "commands", "heartbeat_reply", "beat",      "shutdown", "rejoin",
    "error",    "peers",           "introduce", "probe",    "probed"};
static_assert(std::size(kMessageKinds) == std::variant_size_v<Message>);

}  // namespace heddle::wire
