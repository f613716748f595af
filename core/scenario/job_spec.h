#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/model/labels.h"
#include "core/model/resources.h"

namespace heddle {

/// A number of a scenario that can be random: `12s` or `{dist: lognormal, mean: 12s, cv: 0.5}`. The
/// unit of `mean` depends on the key: microseconds, core-microseconds or bytes.
struct Drawn {
  enum class Dist { kConstant, kUniform, kNormal, kLognormal, kExponential };
  Dist dist = Dist::kConstant;
  double mean = 0;
  double cv = 0;  ///< standard deviation divided by the mean; see draw()
  friend bool operator==(const Drawn&, const Drawn&) = default;
};

/// Kinds of phases. kAm: the container of the application master, which does nothing until its job
/// is over. kCommand: the tasks are programs of the user. kExecutor: the executors of a Spark job,
/// which run the job's stages.
enum class PhaseKind { kMap, kReduce, kAm, kCommand, kExecutor };
/// Returns whether the phase counts as maps for the early start of reduces. Commands are scheduled
/// like maps.
inline bool is_map(PhaseKind kind) {
  return kind == PhaseKind::kMap || kind == PhaseKind::kCommand;
}
/// Limits of a command: the number of its arguments including the program, the bytes of each
/// argument, and the bytes of all arguments together. The limits exist because many launches must
/// fit into one message.
inline constexpr std::size_t kMaxArguments = 256;
inline constexpr std::size_t kMaxArgumentBytes = 4096;
inline constexpr std::size_t kMaxCommandBytes = 16384;
/// Default, minimum and maximum of the limit on a command's output per attempt. The unit is real
/// bytes, because the output is on the disk of the results.
inline constexpr real::Bytes kOutputLimit{64LL << 20};
inline constexpr real::Bytes kLeastOutputLimit{4LL << 10};
inline constexpr real::Bytes kMostOutputLimit{1LL << 40};
/// Framework of a job. Delay scheduling is switched on or off for each framework.
enum class Framework { kMapReduce, kSpark };
/// Deployment of a Spark job (docs/reference/policies.md). yarn-cluster: the driver is the
/// application master. yarn-client: the driver is outside the cluster, and only one such job is
/// active at a time. dynamic: like yarn-cluster, but the job requests executors when it has a
/// backlog, and releases idle executors.
enum class Deploy { kYarnCluster, kYarnClient, kDynamic };
/// When the resources of the tasks of a rigid job (JobSpec::rigid) become free. kJob: all at the
/// same time, when the last task has ended. kTask: when the task itself has ended. kDefault: kJob
/// if the job has a walltime, else kTask.
enum class Release { kDefault, kJob, kTask };

/// The restart of a gang of which a task fails, is killed or is lost. kWhole: the others end,
/// and the gang starts again, because a parallel program needs all of its ranks.
/// kRank: the task runs again alone.
enum class GangRestart { kWhole, kRank };

/// Differences between the tasks of a phase (or stage). Each factor multiplies a task's cpu, input,
/// shuffle and output, and the size of the range that a reduce reads of the map outputs.
struct Skew {
  double heading = 1;   ///< factor of the last task, whose block can be shorter
  double trailing = 1;  ///< factor of the first task, for a large partition
  double zipf = 0;      ///< exponent: task i gets 1 / (i + 1)^zipf, scaled to a mean of 1
  friend bool operator==(const Skew&, const Skew&) = default;
};

/// A corner of a usage curve. `at` is counted from the beginning of the task's work. From `at`
/// until the next corner, the task uses `cores` on average. Its memory moves in a straight line to
/// the memory of the next corner.
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
  /// Corners [progress, bytes]. The short form `memory: 700MiB` is one corner at progress 0.
  std::vector<std::pair<double, Drawn>> memory;
  int pauses = 0;  ///< number of pauses in the CPU work, at even distances
  Drawn pause;     ///< length of each pause, microseconds
  /// If not empty, the task follows this curve, and cpu, sleep, memory and pauses are not set. The
  /// curve has at least two corners in the order of time. The first corner is at 0. The last corner
  /// is at the end of the work and has 0 cores.
  std::vector<UsageCorner> usage;
  friend bool operator==(const TaskSpec&, const TaskSpec&) = default;
};

/// A phase of a job. The TaskSpec describes all its tasks, unless `each` describes them one by one.
struct PhaseSpec : TaskSpec {
  std::string name;
  PhaseKind kind = PhaseKind::kMap;
  int tasks = 1;
  Resources request;
  bool gang = false;
  std::vector<int> after;      ///< indices of phases of the same job that must be complete
  std::vector<TaskSpec> each;  ///< one for each of its tasks, or empty
  /// kCommand: program and arguments. The work and memory of such a phase are only assumptions for
  /// simulations.
  std::vector<std::string> command;
  real::Bytes output_limit = kOutputLimit;  ///< limit of a command's output, in real bytes
  std::vector<NodeId> prefer;  ///< nodes with its data, ascending; empty: no preference
  Where where;                 ///< conditions on the nodes of its containers
  Drawn input;                 ///< bytes each task reads, from its own block with replicas
  Drawn shuffle;  ///< bytes each task leaves for the following reduces, divided among them
  Drawn output;   ///< bytes each task writes, with replicas
  Skew skew;
  EmuTime start_spread;  ///< time over which the requests of its tasks are spread
  /// Cost of a container that is smaller than the request, see spilled(). The default of 0.5 stands
  /// for writing and reading a map's sorted data once more.
  double spill_penalty = 0.5;

  const TaskSpec& task(int index) const {
    return each.empty() ? *this : each[static_cast<std::size_t>(index)];
  }
  friend bool operator==(const PhaseSpec&, const PhaseSpec&) = default;
};

/// The work of all executors of a Spark job between two barriers.
struct StageSpec {
  int tasks = 1;        ///< each runs in one thread of an executor
  Drawn cpu;            ///< core-microseconds per task
  Drawn input;          ///< bytes per task, from blocks with replicas
  bool cached = false;  ///< each executor reads input once and keeps it in memory
  Drawn shuffle;        ///< bytes per task left for the next stage
  Drawn output;         ///< bytes per task written, with replicas
  Skew skew;
  friend bool operator==(const StageSpec&, const StageSpec&) = default;
};

/// The end of another job that a job waits for. kOk: it has completed. kNotOk: it has ended in any
/// other way. kAny: it has ended. kStart: it has started, or has ended without a start.
enum class AfterWhen { kOk, kNotOk, kAny, kStart };

/// A condition on another job. It holds `delay` after the job has come to this point.
struct JobCondition {
  JobId job;
  AfterWhen when = AfterWhen::kOk;
  EmuTime delay = EmuTime(0);
  friend bool operator==(const JobCondition&, const JobCondition&) = default;
};

struct JobSpec {
  std::string name;
  std::string queue = "default";
  std::string user = "default";
  std::string account = {};  ///< "": the first account that lists the user, or none
  /// "": none. Each phase has the condition that its nodes are in the partition (partition_rule).
  std::string partition = {};
  std::string qos = {};  ///< "": none
  /// The array that the job is a task of ("": none), and how many jobs of the array can have
  /// containers at the same time (nullopt: no limit), the same for all of its jobs.
  std::string array = {};
  std::optional<int> array_limit = {};
  int priority = 0;  ///< the highest is served first
  double weight = 1;
  EmuTime submit;  ///< random arrivals are already drawn
  /// Conditions on other jobs, ascending. The job can be scheduled from `submit` on, but not before
  /// all of them hold. If one can never hold, the job is cancelled. There is no cycle.
  std::vector<JobCondition> after;
  std::string workflow;  ///< the workflow that it belongs to; "": none
  /// The longest time that it may take. Schedulers of rigid jobs plan with it. nullopt: no limit.
  std::optional<EmuTime> walltime;
  Release release = Release::kDefault;
  GangRestart gang_restart = GangRestart::kWhole;
  int max_attempts = 4;     ///< failed or OomKilled attempts of a task until its job fails
  int max_am_attempts = 2;  ///< the same limit for its application master
  Framework framework = Framework::kMapReduce;
  bool iterative = false;  ///< its phases or stages are iterations of one computation
  /// The job's phases. If there is an application master, it is phase 0, has the kind kAm and the
  /// name "am", and has one task.
  std::vector<PhaseSpec> phases;
  // The following is for a Spark job. Its only phase besides the application master has the kind
  // kExecutor.
  Deploy deploy = Deploy::kYarnCluster;
  EmuTime executor_idle_timeout = emu_seconds(60);  ///< kDynamic: idle time before release
  std::vector<StageSpec> stages;                    ///< in order, iterations expanded

  bool has_am() const { return !phases.empty() && phases.front().kind == PhaseKind::kAm; }
  /// Returns whether the job has one gang and nothing else, so that all its tasks start at once.
  bool rigid() const {
    return phases.size() == 1 && phases.front().gang &&
           phases.front().kind != PhaseKind::kExecutor && phases.front().start_spread == EmuTime(0);
  }
  /// Returns whether the job keeps the resources of tasks that have ended until the last task has
  /// ended.
  bool keeps_places() const {
    const Release by_default = walltime ? Release::kJob : Release::kTask;
    return rigid() && (release == Release::kDefault ? by_default : release) == Release::kJob;
  }
  /// Returns whether a phase starts again as a whole if one of its tasks ends early.
  bool restarts_whole(const PhaseSpec& phase) const {
    return phase.gang && phase.kind != PhaseKind::kExecutor && gang_restart == GangRestart::kWhole;
  }
  /// Returns the number of tasks of all phases, without the application master.
  int task_count() const;
  /// Returns whether tasks can leave data on their nodes for other tasks to read.
  bool hands_over() const;
  friend bool operator==(const JobSpec&, const JobSpec&) = default;
};

}  // namespace heddle
