#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/import/importer.h"

// The parts of a Spark application, as its event log describes them.
namespace heddle::trace::spark {

using wire::Json;

inline constexpr std::int64_t kMostBytes = 1LL << 50;
inline constexpr std::int64_t kLatest = 400'000'000'000'000;  ///< milliseconds since 1970
inline constexpr std::int64_t kMostExecutorCores = 10'000;
inline constexpr std::int64_t kMostTaskCores = 1'000;

/// A successful attempt of a task. Times are in milliseconds.
struct Run {
  int index = 0;
  int host = 0;  ///< number in App::hosts
  std::int64_t launch = 0, length = 0;
  std::int64_t cpu = 0;  ///< core-microseconds
};

struct Stage {
  std::int64_t submit = kLatest;    ///< the first submission; kLatest: unknown
  std::int64_t complete = kLatest;  ///< the first completion without a failure
  std::int64_t failed = -1;         ///< the last completion with a failure
  std::int64_t tasks = 0;           ///< as the stage says
  std::vector<std::int64_t> parents;
  std::vector<Run> runs;
};

/// The use of a host by an executor.
struct Use {
  std::string host;
  std::int64_t cores = 0, from = 0, until = kLatest;
};

struct App {
  std::string id, attempt, user, queue;
  std::optional<std::int64_t> start, end;
  std::int64_t latest = 0;  ///< time of any event
  bool ignored = false;     ///< it was read before
  // The environment.
  std::optional<std::int64_t> executor_cores, executor_memory, driver_memory, task_cores;
  std::optional<std::int64_t> profile_memory, local_cores;
  bool local = false;  ///< the driver runs the tasks
  // The stages and tasks that ran.
  std::map<std::int64_t, Stage> stages;
  std::int64_t runs = 0;
  std::map<std::string, int> hosts;      ///< of tasks
  std::map<std::string, Use> executors;  ///< that are there, by id
  std::vector<Use> uses;                 ///< by executors that were removed

  void saw(std::optional<std::int64_t> at) { latest = std::max(latest, at.value_or(0)); }
};

/// Returns the memory of an executor of the application, if the log says it.
std::optional<std::int64_t> bytes_of_executor(const App& app);
/// Returns the memory that an executor has for each of its cores.
std::int64_t memory_per_core(const App& app, const ImportOptions& options);

}  // namespace heddle::trace::spark
