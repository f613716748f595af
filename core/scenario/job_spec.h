#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/model/resources.h"

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
/// Framework a job belongs to; delay scheduling is switched per framework.
enum class Framework { kMapReduce, kSpark };
/// How a Spark job is run (policies.md, section 1). yarn-cluster: its driver is the application
/// master. yarn-client: the driver is outside of the cluster, and of such jobs only one is active
/// at a time. dynamic: as yarn-cluster, executors asked for by backlog and let go when idle.
enum class Deploy { kYarnCluster, kYarnClient, kDynamic };

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

}  // namespace heddle
