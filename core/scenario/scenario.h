#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/scale.h"
#include "core/model/resources.h"
#include "core/model/work.h"

namespace heddle {

/// A number of a scenario that may be drawn: `12s` or `{dist: lognormal, mean: 12s, cv: 0.5}`.
/// `mean` is in the unit of its key (microseconds, core-microseconds, bytes).
struct Drawn {
  enum class Dist { kConstant, kUniform, kNormal, kLognormal, kExponential };
  Dist dist = Dist::kConstant;
  double mean = 0;
  double cv = 0;  ///< standard deviation over mean; uniform and exponential: see draw()
  friend bool operator==(const Drawn&, const Drawn&) = default;
};

enum class CpuLimit { kStrict, kShares };
enum class Pacing { kLine, kNone };
enum class SuspendWith { kSignal, kFreezer };
enum class Dispatch { kHeartbeat, kImmediate };
/// kAm: the application master's container, which idles until its job is over. kCommand: tasks are
/// programs of the user's. kExecutor: a Spark job's executors, which run its stages.
enum class PhaseKind { kMap, kReduce, kAm, kCommand, kExecutor };
/// Reduces may wait for it, early: commands are scheduled as maps are.
inline bool is_map(PhaseKind kind) {
  return kind == PhaseKind::kMap || kind == PhaseKind::kCommand;
}
/// Bounds of a command: of its arguments, the program included, of each one, and of all together
/// (many launches have to fit into one message).
inline constexpr std::size_t kMaxArguments = 256;
inline constexpr std::size_t kMaxArgumentBytes = 4096;
inline constexpr std::size_t kMaxCommandBytes = 16384;
/// What an attempt of a command may write, unless the scenario says otherwise, and the bounds of
/// what it may say. Real bytes: they are on the disk of the results.
inline constexpr real::Bytes kOutputLimit{64LL << 20};
inline constexpr real::Bytes kLeastOutputLimit{4LL << 10};
inline constexpr real::Bytes kMostOutputLimit{1LL << 40};
/// What a node over its memory does in virtual time: the kernel's way, one victim at a time, or
/// every task of the node that wants more at once (the Estimation paper's simulator).
enum class Saturation { kKernel, kAll };
/// Framework a job belongs to; delay scheduling is switched per framework.
enum class Framework { kMapReduce, kSpark };
/// What a node tells of its use as a whole: what its control groups were charged, or what its host
/// says of itself.
enum class NodeUseFrom { kGroups, kHost };
/// Whom a node over its memory loses first: as the kernel sees fit, who started last, or who was
/// measured to use most.
enum class OomPreference { kKernel, kYoungest, kLargest };
/// How a Spark job is run (policies.md, section 1). yarn-cluster: its driver is the application
/// master. yarn-client: the driver is outside of the cluster, and of such jobs only one is active
/// at a time. dynamic: as yarn-cluster, executors asked for by backlog and let go when idle.
enum class Deploy { kYarnCluster, kYarnClient, kDynamic };

/// `auto` factors are nullopt until resolved against a machine (resolve_auto).
struct EmulationSpec {
  std::optional<double> time_scale = 1.0;
  std::optional<double> core_fraction;
  std::optional<double> memory_scale;
  std::optional<double> data_scale;  ///< nullopt: memory_scale's value
  CpuLimit cpu_limit = CpuLimit::kStrict;
  Pacing pacing = Pacing::kLine;
  bool swap = false;
  real::Bytes overhead{1 << 20};     ///< per container, on top of the scaled request
  double control_reserve_cpu = 0.2;  ///< share of the usable CPU kept for the control plane
  real::Bytes control_reserve_memory{512LL << 20};
  SuspendWith suspend_with = SuspendWith::kSignal;
  NodeUseFrom node_use = NodeUseFrom::kGroups;
  OomPreference oom_preference = OomPreference::kKernel;
  friend bool operator==(const EmulationSpec&, const EmulationSpec&) = default;
};

struct NodeSpec {
  std::string name;
  Resources capacity;
  Resources allowance;  ///< what may be handed to tasks; at most capacity unless overcommit is on
  Resources system;     ///< what its operating system uses
  double speed = 1.0;
  std::string rack = "default";
  double disk_bytes_per_s = 200e6;
  double network_bits_per_s = 1e9;  ///< each way
  std::string host = {};            ///< the machine that is to play it; "": any
  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct ClusterSpec {
  EmuTime heartbeat = emu_seconds(1);
  Dispatch dispatch = Dispatch::kHeartbeat;
  EmuTime node_timeout = emu_seconds(10);
  Resources unit{Millicores(1000), EmuBytes(1LL << 30)};
  bool normalise = false;       ///< requests are already rounded up to whole units
  bool overcommit = false;      ///< allowances may exceed capacities
  std::vector<NodeSpec> nodes;  ///< index is the NodeId; counts expanded
  /// When in each period a node's heartbeat is due. They are spread evenly, by id, so that runs
  /// don't differ by who came first, and no moment has them all.
  EmuTime beat_offset(NodeId node) const;
  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;
};

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

/// How uneven the tasks of a phase (or stage) are: each factor multiplies a task's cpu, input,
/// shuffle and output, and a reduce's part of what maps hand over.
struct Skew {
  double heading = 1;   ///< of the last task: the last block of a data set is short
  double trailing = 1;  ///< of the first task: a large partition
  double zipf = 0;      ///< exponent: task i as 1 / (i + 1)^zipf, the mean staying 1
  friend bool operator==(const Skew&, const Skew&) = default;
};

/// From `at` on, counted from when its work begins, a task uses `cores` on average until the next
/// corner, and its memory moves in a straight line to the next one's.
struct UsageCorner {
  EmuTime at;
  Millicores cores;
  EmuBytes memory;
  friend bool operator==(const UsageCorner&, const UsageCorner&) = default;
};

/// The work of one task.
struct TaskSpec {
  Drawn cpu;                   ///< core-microseconds
  std::optional<int> threads;  ///< default: see threads_of()
  Drawn sleep;                 ///< microseconds
  /// [progress, bytes] corners; a plain `memory: 700MiB` is one corner at 0.
  std::vector<std::pair<double, Drawn>> memory;
  int pauses = 0;  ///< of the CPU work, at even distances …
  Drawn pause;     ///< … of this length each, microseconds
  /// Where not empty, it does this, and cpu, sleep, memory and pauses are none: at least two
  /// corners by ascending time, the first at 0, the last when the work ends, with no cores.
  std::vector<UsageCorner> usage;
  friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

/// What its tasks do is the TaskSpec, unless `each` says it one by one.
struct PhaseSpec : TaskSpec {
  std::string name;
  PhaseKind kind = PhaseKind::kMap;
  int tasks = 1;
  Resources request;
  bool gang = false;
  std::vector<int> after;      ///< indices of phases of the same job that must be complete
  std::vector<TaskSpec> each;  ///< of all its tasks, or empty
  /// kCommand: program and arguments. What the phase says of work and memory is then only what a
  /// simulation takes it to do.
  std::vector<std::string> command;
  real::Bytes output_limit = kOutputLimit;  ///< of a command: see there
  std::vector<NodeId> prefer;  ///< nodes its data is on, ascending; empty: any is as good
  Drawn input;                 ///< bytes each task reads: a block of its own, with replicas
  Drawn shuffle;  ///< bytes each task hands over to the reduces after it, divided among them
  Drawn output;   ///< bytes each task writes, with replicas
  Skew skew;
  EmuTime start_spread;  ///< its tasks are asked for evenly over this time
  /// What a container that was made smaller costs, see spilled(). Half: what a map sorts is written
  /// and read once more.
  double spill_penalty = 0.5;

  const TaskSpec& task(int index) const {
    return each.empty() ? *this : each[static_cast<std::size_t>(index)];
  }
  friend bool operator==(const PhaseSpec&, const PhaseSpec&) = default;
};

/// What all executors of a Spark job do between two barriers.
struct StageSpec {
  int tasks = 1;        ///< each runs in one thread of an executor
  Drawn cpu;            ///< core-microseconds per task
  Drawn input;          ///< bytes per task, of blocks with replicas
  bool cached = false;  ///< its input is read once by each executor and then kept in its memory
  Drawn shuffle;        ///< bytes per task handed over to the next stage
  Drawn output;         ///< bytes per task written, with replicas
  Skew skew;
  friend bool operator==(const StageSpec&, const StageSpec&) = default;
};

struct JobSpec {
  std::string name;
  std::string queue = "default";
  std::string user = "default";
  int priority = 0;  ///< higher goes first
  double weight = 1;
  EmuTime submit;           ///< drawn arrivals already expanded
  int max_attempts = 4;     ///< failed or OomKilled attempts of one task before its job fails
  int max_am_attempts = 2;  ///< the same of its application master
  Framework framework = Framework::kMapReduce;
  bool iterative = false;  ///< its stages are rounds of one computation, one after the other
  /// A job with an application master has it as phase 0, of kind kAm, one task, named "am".
  std::vector<PhaseSpec> phases;
  // Of a Spark job, whose only phase besides is one of kind kExecutor:
  Deploy deploy = Deploy::kYarnCluster;
  EmuTime executor_idle_timeout = emu_seconds(60);  ///< dynamic: then an idle one is let go
  std::vector<StageSpec> stages;                    ///< in order, iterations written out

  bool has_am() const { return !phases.empty() && phases.front().kind == PhaseKind::kAm; }
  /// Tasks of all phases; the application master is none.
  int task_count() const;
  /// Whether tasks may leave something on their nodes for others to read.
  bool hands_over() const;
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
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

/// The chosen parts and options, names checked against core/policy/table.h; values in their
/// written form ("true", "0.125").
struct PolicySpec {
  std::string preset = "fifo";
  std::vector<std::pair<std::string, std::string>> options;  ///< by name, ascending
  friend bool operator==(const PolicySpec&, const PolicySpec&) = default;
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

/// What breaks (docs/faults.md).
enum class FaultKind {
  kKillWorker,
  kKillMaster,
  kFreezeWorker,
  kPartition,
  kSlowNode,
  kFullDisk,
  kLoseHeartbeats,
  kDelayHeartbeats,
  kDuplicateHeartbeats,
  kCrashTask,
  kStraggle
};

/// One line of `faults`. Which fields count depends on the kind: of a worker's or node's fault
/// nodes, at and what it takes; of tasks' (kCrashTask, kStraggle) job to attempt and share.
struct FaultSpec {
  FaultKind kind = FaultKind::kKillWorker;
  std::vector<NodeId> nodes;  ///< ascending; none of the master's and of tasks' faults
  EmuTime at;
  std::optional<EmuTime> lasts;          ///< nullopt: to the end of the run
  std::optional<EmuTime> restart_after;  ///< kKillWorker; nullopt: it stays away
  double factor = 1;                     ///< kSlowNode: of its speed; kStraggle: of the work
  double share = 1;          ///< of heartbeats or tasks that it happens to, drawn from the seed
  EmuTime delay;             ///< kDelayHeartbeats
  std::optional<JobId> job;  ///< nullopt: every one
  std::optional<int> phase;  ///< of that job; nullopt: every one
  std::optional<int> task;   ///< of that phase; nullopt: every one
  int attempt = 1;           ///< the one that it happens to
  double progress = 0.5;     ///< kCrashTask: when
  friend bool operator==(const FaultSpec&, const FaultSpec&) = default;
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

}  // namespace heddle
