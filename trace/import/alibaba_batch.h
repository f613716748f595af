#pragma once

#include <array>

#include "trace/import/job_groups.h"

// batch_task.csv and batch_instance.csv of Alibaba's cluster-trace-v2017 and cluster-trace-v2018
// (https://github.com/alibaba/clusterdata). The second file can be batch_instance.csv of the same
// trace. A job is all rows with the same job name. Each task becomes a phase, and each of its
// instances becomes a task of the phase. In 2018, the names of tasks say which other tasks must be
// complete; in 2017, the tasks of a job are independent.
//
// The trace has normalised memory and no machines, so both are chosen by the options.
namespace heddle::trace::alibaba {

constexpr double kCoreOfPlan = 100;  ///< one core, in requests
constexpr double kMostCores = 1e4, kMostTasks = 1e6;

inline constexpr Repair kNoName{"no_job", "a row has no job or no task: left out"};
inline constexpr Repair kUnfinished{"unfinished",
                                    "did not end successfully: the time it ran was kept"};

/// A row of batch_task.csv. Memory is a share of a machine's.
struct TaskRow {
  std::string_view job, name, status;
  int instances = 1;
  std::optional<double> start, end, cores, memory;
};
/// A row of batch_instance.csv.
struct InstanceRow {
  std::string_view job, task, status;
  std::optional<double> start, end, cores, memory;
};

inline constexpr Rule kName{
    .most = 4096, .blank = left_out(kNoName), .above = left_out(kUnreadable)};
inline constexpr Rule kTime = strict(-kMostSeconds, kMostSeconds, {}, {});
inline constexpr Fault kEnded = nearest(kUnfinished, true);
inline constexpr Word kStatuses[] = {{"Ready", left_out(kNeverRan)},
                                     {"Waiting", left_out(kNeverRan)},
                                     {"Terminated"},
                                     {"Running", kEnded},
                                     {"Failed", kEnded},
                                     {"Cancelled", kEnded},
                                     {"Interrupted", kEnded},
                                     {"Interupted", kEnded}};
/// A figure of an instance's use. 0 is a use.
constexpr Rule use(double most, double per) {
  return {.least = 0,
          .most = most * per,
          .per = per,
          .blank = missing_if_kept(kMissing),
          .wrong = missing_if_kept(kNoNumber),
          .below = missing_if_kept(kMissing),
          .above = kNearest};
}

/// Places of the columns.
struct Places {
  std::size_t job, task, status, start, end, cpu, memory;
};
/// `whole_memory`: memory of a machine, in the trace.
constexpr auto task_columns(const Places& at, std::size_t instances, double whole_memory) {
  constexpr Fault kOdd = nearest(kUnknownStatus, true);
  return std::array{
      column<&TaskRow::job>(at.job, kName),
      column<&TaskRow::name>(at.task, kName),
      column<&TaskRow::status>(at.status, {.words = kStatuses, .blank = kOdd, .unknown = kOdd}),
      column<&TaskRow::instances>(instances, {.least = 0.5,
                                              .most = kMostTasks,
                                              .whole = true,
                                              .blank = missing(kMissing),
                                              .wrong = missing(kNoNumber),
                                              .below = left_out(kNoTask),
                                              .above = left_out(kUnreadable),
                                              .fraction = nearest(kFraction)}),
      column<&TaskRow::start>(at.start, kTime),
      column<&TaskRow::end>(at.end, kTime),
      column<&TaskRow::cores>(at.cpu, figure(kMostCores * kCoreOfPlan, 1, kCoreOfPlan)),
      column<&TaskRow::memory>(at.memory,
                               figure(std::numeric_limits<double>::infinity(), 1, whole_memory))};
}
/// `core`: one core, in the CPU figures of instances.
constexpr auto instance_columns(const Places& at, double core, double whole_memory) {
  return std::array{column<&InstanceRow::job>(at.job, {.blank = left_out(kNoName)}),
                    column<&InstanceRow::task>(at.task, {.blank = left_out(kNoName)}),
                    column<&InstanceRow::status>(at.status),
                    column<&InstanceRow::start>(at.start, kTime),
                    column<&InstanceRow::end>(at.end, kTime),
                    column<&InstanceRow::cores>(at.cpu, use(kMostCores, core)),
                    column<&InstanceRow::memory>(
                        at.memory, use(std::numeric_limits<double>::infinity(), whole_memory))};
}

/// An instance of a task that has ended.
struct Instance {
  float seconds = 0;
  float cores = -1, memory = -1;  ///< of the use, in cores and bytes; negative: unknown
};
struct Task {
  std::string name;
  int instances = 1;
  double seconds = 0;
  Resources request;
  std::vector<Instance> each;
};
struct Job : GroupedJob {
  EmuTime submit;
  std::vector<Task> tasks;
  std::size_t last = 0;  ///< the task whose instance was read last
  EmuTime submission() const { return submit; }
};

/// Properties of a year's trace.
struct Year {
  Table<TaskRow> tasks;
  Table<InstanceRow> instances;
  bool instances_have_names = true;  ///< without names, equal rows are different instances
  /// Sets the dependencies of the phases by the names of their tasks. nullptr: there are none.
  void (*link)(const std::string& id, const Job& job, std::vector<PhaseSpec>& phases,
               ImportReport& report) = nullptr;
  Resources machine;          ///< default
  std::string_view expected;  ///< for errors
};

/// Reads batch_task.csv, and batch_instance.csv if there are more files.
Imported import(const Year& year, std::vector<Input>& files, const ImportOptions& options,
                JobCollection& jobs, ImportReport& report);

}  // namespace heddle::trace::alibaba
