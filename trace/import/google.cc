#include "trace/import/google.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/csv.h"
#include "trace/import/scaling.h"

namespace heddle::trace {
namespace google {
namespace {

using Row = std::vector<std::string_view>;

constexpr std::size_t kEventFields = 13, kMachineFields = 6, kUsageFields = 20;
/// Fields of task_events, from 0.
enum EventField {
  kTime,
  kMissingInfo,
  kJobId,
  kTaskIndex,
  kMachineId,
  kType,
  kUserName,
  kClass,
  kPriority,
  kCpuRequest,
  kMemoryRequest
};
/// Fields of machine_events.
enum MachineField { kMachine = 1, kMachineType = 2, kCpuCapacity = 4, kMemoryCapacity = 5 };
/// Fields of task_usage.
enum UsageField {
  kUsageStart,
  kUsageEnd,
  kUsageJob,
  kUsageTask,
  kUsageMachine,
  kCpuRate,
  kCanonicalMemory,
  kMaximumMemory = 10
};
/// Types of events of tasks.
enum class Type { kSubmit, kSchedule, kEvict, kFail, kFinish, kKill, kLost, kPending, kRunning };
constexpr double kLastType = 8;

constexpr std::size_t kLooked = 20;      ///< rows by which a file is recognised; most are right
constexpr double kAfterTheEnd = 0x1p63;  ///< stands for a time after the trace; it is 2^63 - 1
constexpr double kMostTime = kMostSeconds * 1e6;
constexpr double kMostId = 1e15, kMostIndex = 1e9, kMostPriority = 1e6;
constexpr std::size_t kLongestText = 4096;
constexpr Millicores kDefaultCores(64'000);
constexpr EmuBytes kDefaultMemory(256LL << 30);
constexpr int kDefaultNodes = 100;
constexpr std::size_t kMostPhases = 1000;  ///< of a job
constexpr std::size_t kMostPhaseTasks = 1'000'000;
constexpr std::size_t kMostTasks = 5'000'000;  ///< of all chosen jobs
constexpr std::size_t kMostPassed = 10'000'000;
constexpr float kUnknown = -1;

constexpr Repair kReplaced{"missing_info",
                           "an event was lost and replaced by Google: kept as it is"};
constexpr Repair kLate{"after_the_end", "an event after the end of the trace: ignored"};
constexpr Repair kStillRuns{"running_at_an_end",
                            "a task runs at the beginning or the end of the trace, so that its "
                            "length is unknown: left out"};
constexpr Repair kNoSchedule{"no_schedule", "a task finishes but was not scheduled: ignored"};
constexpr Repair kTwice{"scheduled_twice", "a task is scheduled while it runs: the later counts"};
constexpr Repair kNoSubmit{"no_submit", "a job has no SUBMIT event: submitted at its first event"};
constexpr Repair kManyRequests{
    "many_requests", "a job has more than 1000 different requests: the other tasks are left out"};

constexpr std::int64_t kNotScheduled = -1, kBeforeTrace = -2;

struct Task {
  std::int64_t start = kNotScheduled;        ///< of the attempt that runs, in microseconds
  std::int64_t finished = -1, longest = -1;  ///< lengths; -1: none
  bool cut = false;                          ///< an attempt began before the trace
  float cpu = kUnknown, memory = kUnknown;   ///< requests
  float most_memory = kUnknown;              ///< use
  double cpu_time = 0, measured = 0;         ///< integral of the CPU rate, and its time
};

struct Job {
  std::int64_t order = 0;  ///< of its first event
  std::optional<std::int64_t> submit;
  std::int64_t first = 0;  ///< time of its first event
  int priority = 0;
  std::string user, queue;
  std::map<std::int64_t, Task> tasks;  ///< by their indices

  EmuTime submission() const { return EmuTime(submit.value_or(first)); }
};
using Jobs = std::unordered_map<std::int64_t, Job>;

std::string_view field(const Row& row, std::size_t index) {
  return index < row.size() ? row[index] : std::string_view();
}

/// Returns a whole number from 0 to `most`; nullopt if the field is none.
std::optional<std::int64_t> whole(const Row& row, std::size_t index, double most) {
  const std::optional<double> value = csv::number(field(row, index));
  if (!value || *value < 0 || *value > most || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

bool is_event(const Row& row) {
  return row.size() == kEventFields && csv::number(row[kTime]) && whole(row, kJobId, kMostId) &&
         whole(row, kTaskIndex, kMostIndex) && whole(row, kType, kLastType) &&
         (row[kClass].empty() || whole(row, kClass, 3)) &&
         (row[kMachineId].empty() || csv::number(row[kMachineId])) &&
         (row[kCpuRequest].empty() || csv::number(row[kCpuRequest])) &&
         (row[kMemoryRequest].empty() || csv::number(row[kMemoryRequest]));
}

bool looks_like_events(std::string_view head) {
  const std::vector<Row> rows = csv::first_rows(head, kLooked);
  return 2 * std::ranges::count_if(rows, is_event) > std::ssize(rows);
}

class Reader {
 public:
  Reader(const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : options_(options),
        collection_(jobs),
        report_(report),
        probe_(options, probe_report_),
        whole_{options.cores.value_or(kDefaultCores), options.memory.value_or(kDefaultMemory)},
        work_(options) {}

  Imported read(std::vector<Input>& files) {
    std::vector<Input*> events, machines, usage;
    for (Input& file : files) {
      const std::vector<Row> rows = csv::first_rows(file.head(), 1);
      const std::size_t fields = rows.empty() ? 0 : rows.front().size();
      if (fields == kEventFields)
        events.push_back(&file);
      else if (fields == kMachineFields)
        machines.push_back(&file);
      else if (fields == kUsageFields || fields == kUsageFields - 1)
        usage.push_back(&file);
      else if (fields > 0)  // parts of a sample can be empty
        throw BadTrace{file.name() + ": its first row has " + std::to_string(fields) +
                           " fields; expected 13 (task_events), 6 (machine_events) or 20 "
                           "(task_usage)",
                       true};
    }
    if (events.empty() || !looks_like_events(events.front()->head()))
      throw BadTrace{
          "no file has rows of task_events; expected 13 fields: time, missing info, job, task, "
          "machine, event type 0 to 8, …"};
    for (Input* file : machines)
      read_rows(*file, kMachineFields, [&](const Row& row) { read_machine(row); });
    for (Input* file : events)
      read_rows(*file, kEventFields, [&](const Row& row) { read_event(row); });
    const std::vector<std::pair<std::int64_t, const Job*>> chosen = choose();
    for (Input* file : usage)
      read_rows(*file, kUsageFields - 1, [&](const Row& row) { read_usage(row); });
    Imported imported;
    imported.scenario = task_frame(options_, events.front()->name());
    imported.scenario.cluster.nodes = nodes();
    for (const auto& [id, job] : chosen)
      collection_.add(std::to_string(id), job->user, job->queue, job_of(id, *job));
    state(!usage.empty());
    return imported;
  }

 private:
  template <typename Function>
  void read_rows(Input& input, std::size_t fields, const Function& read_row) {
    input_ = &input;
    last_ = 0;
    Row row;
    while (const auto line = input.line()) {
      if (line->empty() || line->starts_with('#')) continue;
      csv::split(*line, row);
      ++report_.rows;
      if (row.size() < fields) report_.repaired(kFieldsMissing, input);
      if (row.size() > std::max(fields, fields == kUsageFields - 1 ? kUsageFields : fields))
        report_.repaired(kFieldsMore, input);
      read_row(row);
    }
  }

  void unreadable() { report_.repaired(kUnreadable, *input_); }

  void read_machine(const Row& row) {
    const auto id = whole(row, kMachine, kMostId), type = whole(row, kMachineType, 2);
    if (!id || !type) return unreadable();
    if (*type == 1) return;  // it is removed, often only for a while
    if (machine_of_.size() >= kMostImportedNodes && !machine_of_.contains(*id))
      throw BadTrace{"more than 20000 machines; expected at most 20000"};
    const auto [found, is_new] = machine_of_.emplace(*id, machines_.size());
    if (is_new) machines_.emplace_back(whole_);
    Resources& machine = machines_[found->second];
    const auto cpu = share(row, kCpuCapacity), memory = share(row, kMemoryCapacity);
    if (cpu) machine.cores = cores_of(*cpu);
    if (memory) machine.memory = bytes_of(*memory);
    if (!cpu || !memory) report_.repaired(kMissing, *input_);
  }

  /// Returns a number above 0; nullopt if the field is none.
  static std::optional<double> share(const Row& row, std::size_t index) {
    const std::optional<double> value = csv::number(field(row, index));
    return value && *value > 0 ? std::optional(std::min(*value, 1000.0)) : std::nullopt;
  }
  Millicores cores_of(double share) const {
    const double millicores = share * static_cast<double>(whole_.cores.count());
    return Millicores(std::max(std::llround(std::min(millicores, 1e7)), 1LL));
  }
  EmuBytes bytes_of(double share) const {
    const double bytes = share * static_cast<double>(whole_.memory.count());
    return EmuBytes(std::max(std::llround(std::min(bytes, 0x1p50)), 1LL));
  }

  void read_event(const Row& row) {
    const std::optional<double> time = csv::number(field(row, kTime));
    const auto id = whole(row, kJobId, kMostId), index = whole(row, kTaskIndex, kMostIndex);
    const auto type = whole(row, kType, kLastType);
    if (time == kAfterTheEnd) return report_.repaired(kLate, *input_);
    if (!time || *time < 0 || *time > kMostTime || !id || !index || !type) return unreadable();
    if (!field(row, kMissingInfo).empty()) report_.repaired(kReplaced, *input_);
    const auto at = static_cast<std::int64_t>(*time);
    if (at < last_) report_.repaired(kOutOfOrder, *input_);
    last_ = std::max(last_, at);
    Job* job = job_for(*id, at, row);
    if (!job) return;
    const auto [found, is_new] = job->tasks.try_emplace(*index);
    if (is_new && ++held_ > kMostTasks)
      throw BadTrace{"the chosen jobs have more than " + std::to_string(kMostTasks) +
                     " tasks; expected --jobs, --sample, --from or --until"};
    apply(*job, found->second, static_cast<Type>(*type), at, row);
  }

  /// Returns the job of an event; nullptr if it is not kept.
  Job* job_for(std::int64_t id, std::int64_t at, const Row& row) {
    const auto found = jobs_.find(id);
    if (found != jobs_.end()) return &found->second;
    if (passed_.contains(id)) return nullptr;
    const std::string_view user = field(row, kUserName), queue = field(row, kClass);
    if (user.size() > kLongestText || queue.size() > kLongestText) {
      unreadable();
      return nullptr;
    }
    Job job;
    job.order = next_++;
    job.first = at;
    job.user = user;
    job.queue = queue;
    if (!probe_.takes(std::to_string(id), EmuTime(at), user, queue)) {
      pass(id, job);
      return nullptr;
    }
    const std::optional<double> priority = csv::number(field(row, kPriority));
    if (priority && std::abs(*priority) <= kMostPriority)
      job.priority = static_cast<int>(std::lround(*priority));
    else
      report_.repaired(kMissing, *input_);
    jobs_.emplace(id, std::move(job));
    if (options_.jobs) {
      keep_first(static_cast<std::size_t>(*options_.jobs));
    } else if (jobs_.size() > kMostImportedJobs) {
      throw BadTrace{"more than " + std::to_string(kMostImportedJobs) +
                     " jobs are chosen; expected --jobs, --sample, --from or --until"};
    }
    const auto kept = jobs_.find(id);
    return kept == jobs_.end() ? nullptr : &kept->second;
  }

  /// Counts a job that is not kept, and ignores its other events.
  void pass(std::int64_t id, const Job& job) {
    (void)collection_.takes(std::to_string(id), job.submission(), job.user, job.queue);
    if (passed_.size() >= kMostPassed) passed_.clear();  // later events may count as another job
    passed_.insert(id);
  }

  /// If there are many more jobs than will be kept, drops those that are submitted last. More jobs
  /// than `count` are kept because some may have no task that can be used.
  void keep_first(std::size_t count) {
    if (jobs_.size() < 4 * count + 20'000) return;
    const auto entries = in_order();
    for (std::size_t i = 2 * count + 10'000; i < entries.size(); ++i) {
      pass(entries[i].first, *entries[i].second);
      held_ -= entries[i].second->tasks.size();
      jobs_.erase(entries[i].first);
    }
  }

  /// Returns the jobs in the order of their submissions.
  std::vector<std::pair<std::int64_t, const Job*>> in_order() const {
    std::vector<std::pair<std::int64_t, const Job*>> entries;
    entries.reserve(jobs_.size());
    for (const auto& [id, job] : jobs_) entries.emplace_back(id, &job);
    std::ranges::sort(entries, {}, [](const auto& entry) {
      return std::pair(entry.second->submission().count(), entry.second->order);
    });
    return entries;
  }

  void apply(Job& job, Task& task, Type type, std::int64_t at, const Row& row) {
    if (type == Type::kSubmit) job.submit = std::min(job.submit.value_or(at), at);
    if (job.user.empty() && field(row, kUserName).size() <= kLongestText)
      job.user = field(row, kUserName);
    switch (type) {
      case Type::kSchedule:
        if (task.start >= 0) report_.repaired(kTwice, *input_);
        task.start = at == 0 ? kBeforeTrace : at;  // 0 stands for all times before the trace
        break;
      case Type::kEvict:
      case Type::kFail:
      case Type::kFinish:
      case Type::kKill:
      case Type::kLost:
        end_attempt(task, type, at);
        return;
      default:
        break;
    }
    // The request of the last event before the end of an attempt counts.
    if (const auto cpu = share(row, kCpuRequest)) task.cpu = static_cast<float>(*cpu);
    if (const auto memory = share(row, kMemoryRequest)) task.memory = static_cast<float>(*memory);
  }

  void end_attempt(Task& task, Type type, std::int64_t at) {
    const std::int64_t start = std::exchange(task.start, kNotScheduled);
    if (start == kBeforeTrace) {
      task.cut = true;
    } else if (start == kNotScheduled) {
      // A task that waits can be killed.
      if (type == Type::kFinish) report_.repaired(kNoSchedule, *input_);
    } else if (at < start) {
      report_.repaired(kEndsBefore, *input_);
    } else {
      task.longest = std::max(task.longest, at - start);
      if (type == Type::kFinish) task.finished = at - start;
    }
  }

  /// Removes tasks without a length. Returns the jobs that the options choose, in the order of
  /// their submissions.
  std::vector<std::pair<std::int64_t, const Job*>> choose() {
    for (auto& [id, job] : jobs_)
      std::erase_if(job.tasks, [&, &id = id](const auto& entry) {
        const Task& task = entry.second;
        if (task.longest >= 0) return false;
        const bool runs = task.cut || task.start != kNotScheduled;
        report_.repaired(runs ? kStillRuns : kNeverRan, place_of(id, entry.first));
        return true;
      });
    std::vector<std::pair<std::int64_t, const Job*>> chosen;
    for (const auto& [id, job] : in_order()) {
      if (job->tasks.empty()) continue;
      if (!job->submit) report_.repaired(kNoSubmit, "job " + std::to_string(id));
      if (collection_.takes(std::to_string(id), job->submission(), job->user, job->queue) &&
          (!options_.jobs || std::ssize(chosen) < *options_.jobs))
        chosen.emplace_back(id, job);
    }
    return chosen;
  }

  static std::string place_of(std::int64_t job, std::int64_t task) {
    return "job " + std::to_string(job) + " task " + std::to_string(task);
  }

  void read_usage(const Row& row) {
    const auto id = whole(row, kUsageJob, kMostId), index = whole(row, kUsageTask, kMostIndex);
    const auto start = whole(row, kUsageStart, kMostTime), end = whole(row, kUsageEnd, kMostTime);
    if (!id || !index || !start || !end || *end < *start) return unreadable();
    const auto job = jobs_.find(*id);
    if (job == jobs_.end()) return;
    const auto found = job->second.tasks.find(*index);
    if (found == job->second.tasks.end()) return;
    Task& task = found->second;
    // A measurement of no length counts as a microsecond.
    const auto length = static_cast<double>(std::max<std::int64_t>(*end - *start, 1));
    const std::optional<double> rate = csv::number(field(row, kCpuRate));
    if (rate && *rate >= 0 && *rate <= 1000) {
      task.cpu_time += *rate * length;
      task.measured += length;
    } else {
      report_.repaired(kMissing, *input_);
    }
    for (const std::size_t column : {std::size_t{kMaximumMemory}, std::size_t{kCanonicalMemory}}) {
      const std::optional<double> memory = csv::number(field(row, column));
      if (!memory || *memory < 0 || *memory > 1000) continue;
      task.most_memory = std::max(task.most_memory, static_cast<float>(*memory));
      break;
    }
  }

  JobSpec job_of(std::int64_t id, const Job& job) {
    JobSpec spec;
    spec.submit = job.submission();
    spec.priority = job.priority;
    std::map<std::pair<float, float>, std::size_t> phase_of;
    std::vector<std::vector<TaskSpec>> tasks;
    for (const auto& [index, task] : job.tasks) {
      const auto found = phase_of.emplace(std::pair(task.cpu, task.memory), tasks.size());
      const std::size_t at = found.first->second;
      if (at >= kMostPhases || (at < tasks.size() && tasks[at].size() >= kMostPhaseTasks)) {
        report_.repaired(kManyRequests, place_of(id, index));
        continue;
      }
      if (found.second) {
        PhaseSpec& phase = spec.phases.emplace_back();
        phase.name = "p" + std::to_string(at + 1);
        phase.request = request_of(id, index, task);
        tasks.emplace_back();
      }
      // Requests above a machine will be cut to the machine.
      tasks[at].push_back(task_of(id, index, task, min(spec.phases[at].request, largest_)));
    }
    for (std::size_t i = 0; i < tasks.size(); ++i)
      csv::Work::set_tasks(spec.phases[i], std::move(tasks[i]));
    return spec;
  }

  Resources request_of(std::int64_t id, std::int64_t index, const Task& task) {
    Resources request;
    request.cores = task.cpu > 0 ? cores_of(task.cpu) : Millicores(1000);
    if (task.memory > 0)
      request.memory = bytes_of(task.memory);
    else
      request.memory = EmuBytes(std::max<std::int64_t>(
          std::llround(static_cast<double>(options_.memory_per_core.count()) *
                       static_cast<double>(request.cores.count()) / 1000),
          1));
    without_cpu_ += task.cpu <= 0;
    without_memory_ += task.memory <= 0;
    if (task.cpu <= 0 || task.memory <= 0) report_.repaired(kMissing, place_of(id, index));
    return request;
  }

  TaskSpec task_of(std::int64_t id, std::int64_t index, const Task& task,
                   const Resources& request) {
    const std::int64_t length = task.finished >= 0 ? task.finished : task.longest;
    if (length == 0) report_.repaired(kZeroTime, place_of(id, index));
    unfinished_ += task.finished < 0;
    std::optional<double> cores, memory;
    if (task.measured > 0)
      cores = task.cpu_time / task.measured * static_cast<double>(whole_.cores.count()) / 1000;
    if (task.most_memory >= 0)
      memory = static_cast<double>(task.most_memory) * static_cast<double>(whole_.memory.count());
    measured_ += cores || memory;
    TaskSpec spec;
    work_.set(spec, static_cast<double>(length) / 1e6, request, cores, memory);
    return spec;
  }

  std::vector<NodeSpec> nodes() {
    std::vector<NodeSpec> nodes;
    if (machines_.empty()) {
      nodes = equal_nodes(options_.nodes.value_or(kDefaultNodes), whole_);
      report_.state("cluster: " + nodes_text(std::ssize(nodes), whole_) +
                    " (--nodes, --cores, --memory, or machine_events as another file)");
    } else {
      ImportOptions sizes = options_;
      sizes.cores.reset();  // the machines are shares of the largest, whose size is in whole_
      sizes.memory.reset();
      nodes = csv::nodes_of(machines_, sizes);
      report_.state("cluster: " + counted(std::ssize(nodes), "node") + ", from " +
                    counted(std::ssize(machines_), "machine") +
                    " of machine_events (--nodes); machines that are removed stay");
    }
    for (const NodeSpec& node : nodes) largest_ = max(largest_, node.allowance);
    return nodes;
  }

  void state(bool has_usage) {
    report_.state("CPU and memory in the trace are shares of the largest machine; it has " +
                  print_cores(whole_.cores) + " cores and " + print_bytes(whole_.memory) +
                  " (--cores, --memory)");
    report_.state("queues are the scheduling classes of the trace");
    if (without_cpu_ > 0)
      report_.state(counted(without_cpu_, "phase") +
                    " without a CPU request or with one of 0: 1 core was taken");
    if (without_memory_ > 0)
      report_.state(
          counted(without_memory_, "phase") + " without a memory request or with one of 0: " +
          print_bytes(options_.memory_per_core) + " for each core was taken (--memory-per-core)");
    if (unfinished_ > 0)
      report_.state(counted(unfinished_, "task") +
                    " without an end: the length of the longest attempt counts");
    if (has_usage) report_.state(counted(measured_, "task") + " with a use in task_usage");
    work_.state(report_);
  }

  const ImportOptions& options_;
  JobCollection& collection_;
  ImportReport& report_;
  ImportReport probe_report_;
  JobCollection probe_;  ///< says early whether a job can be chosen
  Resources whole_;      ///< of a machine whose CPU and memory are 1
  Resources largest_;    ///< of the cluster's nodes
  csv::Work work_;
  Input* input_ = nullptr;
  Jobs jobs_;
  std::unordered_set<std::int64_t> passed_;  ///< ids of jobs that are not kept
  std::unordered_map<std::int64_t, std::size_t> machine_of_;
  std::vector<Resources> machines_;
  std::int64_t next_ = 0, last_ = 0;
  std::size_t held_ = 0;
  std::int64_t without_cpu_ = 0, without_memory_ = 0, unfinished_ = 0, measured_ = 0;
};

}  // namespace
}  // namespace google

Imported import_google_2011(std::vector<Input>& files, const ImportOptions& options,
                            JobCollection& jobs, ImportReport& report) {
  return google::Reader(options, jobs, report).read(files);
}

bool is_google_2011(std::string_view head) { return google::looks_like_events(head); }

}  // namespace heddle::trace
