#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/import/importer.h"

// The parts of a Spark application, as its event log describes them, and what becomes of them.
namespace heddle::trace::spark {

inline constexpr std::int64_t kMostBytes = 1LL << 50;
inline constexpr std::int64_t kLatest = 400'000'000'000'000;  ///< milliseconds since 1970
inline constexpr std::int64_t kMostExecutorCores = 10'000;
using Integer = std::optional<std::int64_t>;

/// A successful attempt of a task. Times are in milliseconds.
struct Run {
  int index = 0;
  int host = 0;  ///< number in App::hosts
  std::int64_t launch = 0, length = 0;
  std::int64_t cpu = 0;     ///< core-microseconds
  std::int64_t memory = 0;  ///< bytes: peak of its execution memory; 0: unknown
};

struct Stage {
  std::int64_t id = 0;
  std::int64_t submit = kLatest;    ///< the first submission; kLatest: unknown
  std::int64_t complete = kLatest;  ///< the first completion without a failure
  std::int64_t failed = -1;         ///< the last completion with a failure
  std::int64_t tasks = 0;           ///< as the stage says
  std::int64_t peak = 0;            ///< bytes: most memory of an executor during it; 0: unknown
  std::vector<std::int64_t> parents;
  std::vector<Run> runs;
};

/// The use of a host by an executor.
struct Use {
  std::string host;
  std::int64_t cores = 0, from = 0, until = kLatest;
  double gpus = 0;
  std::int64_t bytes = 0;  ///< 0: the memory of an executor for each core
};

struct App {
  std::string id, attempt, user;
  Integer start, end;
  std::int64_t latest = 0;  ///< time of any event
  bool ignored = false;     ///< it was read before
  // The environment.
  Integer executor_cores, executor_memory, driver_memory, task_cores, profile_memory, local_cores;
  Integer executor_overhead, driver_overhead, driver_cores, master_memory, master_overhead,
      master_cores;
  std::optional<double> executor_gpus, task_gpus, overhead_factor;
  std::optional<double> idle_timeout;  ///< seconds until dynamic allocation releases an executor
  std::string queue, property_id, master, deploy_mode, dynamic, driver_host;
  bool local = false;                 ///< the driver runs the tasks
  std::int64_t logged_executors = 0;  ///< added by events
  // The stages and tasks that ran.
  std::map<std::int64_t, Stage> stages;
  std::int64_t runs = 0;
  std::map<std::string, int> hosts;      ///< of tasks
  std::map<std::string, Use> executors;  ///< that are there, by id
  std::vector<Use> uses;                 ///< by executors that were removed

  void saw(Integer at) { latest = std::max(latest, at.value_or(0)); }
  /// Returns the memory of an executor, if the log says it.
  Integer bytes_of_executor() const {
    if (local && (executors.contains("driver") || executors.empty())) return driver_memory;
    return executor_memory ? executor_memory : profile_memory;
  }
  /// Returns the memory that an executor has for each of its cores; `otherwise` if the log does not
  /// say it.
  EmuBytes memory_per_core(EmuBytes otherwise) const;
};

/// Returns the stages of an application that ran, in the order of their submissions. Completes
/// their times, and keeps only the first success of each of their tasks.
std::vector<Stage*> executed(App& app, ImportReport& report);
/// Returns which of these stages must be complete before a stage: its parents, and those that were
/// complete when it was submitted.
std::vector<int> stages_before(const std::vector<Stage*>& stages, std::size_t of,
                               ImportReport& report);

/// The change of what executors have on a host.
struct Change {
  std::int64_t at = 0;
  double cores = 0, bytes = 0, gpus = 0;
};

/// The hosts on which executors of any application were.
class Machines {
 public:
  Machines(const ImportOptions& options, ImportReport& report)
      : options_(options), report_(report) {}

  /// Ends the executors of an application that are still there, and adds all its executors.
  void add(App& app);
  /// Returns the nodes of the cluster, and reports how they were chosen.
  std::vector<NodeSpec> nodes();
  /// Returns the GPUs of each of these nodes. REQUIRES: nodes() was called.
  const std::vector<double>& gpus() const { return gpus_; }

 private:
  /// Gives executors that become containers their size, and adds the application master, on the
  /// host of the driver if that is known and else on that of the first executor.
  void add_containers(const App& app, std::vector<Use>& uses) const;
  /// Old logs have no executors. Their hosts have as many cores as tasks ran there at once.
  void uses_of_tasks(App& app);

  const ImportOptions& options_;
  ImportReport& report_;
  /// Number of each host in the order of the log, and what executors had there.
  std::map<std::string, std::pair<std::size_t, std::vector<Change>>> machines_;
  std::vector<double> gpus_;
  std::size_t uses_ = 0;
  std::int64_t guessed_hosts_ = 0;
};

}  // namespace heddle::trace::spark
