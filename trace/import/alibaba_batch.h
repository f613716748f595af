#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/import/formats.h"

// Common parts of the readers of cluster-trace-v2017 and cluster-trace-v2018: batch_task.csv
// and batch_instance.csv, whose columns are in another order in each year.
namespace heddle::trace::alibaba {

/// A row of batch_instance.csv.
struct Instance {
  float seconds = 0;
  float cores = -1, memory = -1;  ///< of the use, in cores and bytes; negative: unknown
};

/// A row of batch_task.csv.
struct Task {
  std::string name;
  int instances = 1;
  double seconds = 0;
  Resources request;
  std::vector<Instance> each;
};

struct Job {
  std::int64_t order = 0;  ///< of its first row
  EmuTime submit;
  std::vector<Task> tasks;
  std::size_t last = 0;  ///< the task whose instance was read last
};

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
using Jobs = std::unordered_map<std::string, Job, Hash, std::equal_to<>>;

inline constexpr std::size_t kNoField = 99;
/// Positions of the fields in a row of batch_task.csv or batch_instance.csv.
struct Layout {
  std::size_t fields = 0, job = 0, task = 0, status = 0, start = 0, end = 0, cpu = 0, memory = 0;
  std::size_t instances = kNoField;  ///< only in batch_task.csv
  std::size_t name = kNoField;       ///< of an instance; not in the trace of 2017
};

/// Properties of a year's trace.
struct Format {
  Layout tasks, instances;
  /// Sets the dependencies of the phases by the names of their tasks. nullptr: there are none.
  void (*link)(const std::string& id, const Job& job, std::vector<PhaseSpec>& phases,
               ImportReport& report) = nullptr;
  double whole_memory = 1;    ///< memory of a machine, in the trace
  double core_of_use = 1;     ///< one core, in the CPU figures of instances
  Resources machine;          ///< default
  std::string_view expected;  ///< for errors
};

/// Limit on the instances of a task.
inline constexpr double kMostTasks = 1e6;

/// Returns whether most of the first rows have this layout.
bool looks_like(std::string_view head, const Layout& layout);

/// Reads batch_task.csv, and batch_instance.csv if there are more files.
Imported import(const Format& format, std::vector<Input>& files, const ImportOptions& options,
                JobCollection& jobs, ImportReport& report);

}  // namespace heddle::trace::alibaba
