// Reads Google's clusterdata-2011-2 (https://github.com/google/cluster-data): parts of
// task_events, in the order of time. Other files can be machine_events, whose machines become the
// cluster, and parts of task_usage, which say how much CPU and memory tasks used. The files are
// distinguished by their number of fields.
//
// Tasks of a job with equal requests become a phase. A task takes as long as its last attempt that
// finished, or else as its longest attempt.
// Recognises task_events.

#include "core/scenario/quantity_text.h"
#include "trace/import/job_groups.h"

namespace heddle::trace {
namespace google {
namespace {

constexpr double kAfterTheEnd = 0x1p63;  ///< stands for a time after the trace; it is 2^63 - 1
constexpr double kMostTime = kMostSeconds * 1e6;
constexpr double kMostShare = 1000;  ///< of the largest machine
constexpr Millicores kDefaultCores(64'000);
constexpr EmuBytes kDefaultMemory(256LL << 30);
constexpr int kDefaultNodes = 100;
constexpr std::size_t kMostPhaseTasks = 1'000'000;
constexpr std::size_t kMostTasks = 5'000'000;  ///< of all chosen jobs
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

/// A whole number from 0 to `most`, which every row has.
constexpr Rule whole(double most) {
  Rule rule = strict(0, most);
  rule.whole = true;
  rule.fraction = left_out(kUnreadable);
  return rule;
}
constexpr Rule kJobId = whole(1e15), kTaskIndex = whole(1e9);
/// A share of the largest machine. It counts only if it is more than 0.
constexpr Rule kShare{.least = kPositive, .most = kMostShare, .above = kNearest};

constexpr Rule kPriority =
    Rule{.least = -1e6, .most = 1e6, .whole = true, .fraction = kNearest}.otherwise(
        missing_if_kept(kMissing));

/// Types of events of tasks.
enum Type { kSubmit, kSchedule, kEvict, kFail, kFinish, kKill, kLost, kPending, kRunning };

struct Event {
  double time = 0;
  std::int64_t job = 0, task = 0;
  int type = 0, priority = 0;
  std::string_view lost, user, queue;
  std::optional<double> machine, cpu, memory;
};
constexpr Column<Event> kEventColumns[] = {
    column<&Event::time>(0, strict(0, std::numeric_limits<double>::infinity())),
    column<&Event::lost>(1),
    column<&Event::job>(2, kJobId),
    column<&Event::task>(3, kTaskIndex),
    column<&Event::machine>(4),
    column<&Event::type>(5, whole(kRunning)),
    column<&Event::user>(6, kText),
    column<&Event::queue>(7, kText),  // the scheduling class
    column<&Event::priority>(8, kPriority),
    column<&Event::cpu>(9, kShare),
    column<&Event::memory>(10, kShare)};
constexpr Table<Event> kEvents{kEventColumns, {.fields = 13}};

struct Machine {
  std::int64_t id = 0;
  int type = 0;
  std::optional<double> cpu, memory;
};
constexpr Column<Machine> kMachineColumns[] = {
    column<&Machine::id>(1, kJobId), column<&Machine::type>(2, whole(2)),
    column<&Machine::cpu>(4, kShare), column<&Machine::memory>(5, kShare)};
constexpr Table<Machine> kMachines{kMachineColumns, {.fields = 6}};

struct Usage {
  double start = 0, end = 0;
  std::int64_t job = 0, task = 0;
  std::optional<double> rate, canonical_memory, most_memory;
};
constexpr Rule kUse{.least = 0, .most = kMostShare};
constexpr Column<Usage> kUsageColumns[] = {column<&Usage::start>(0, whole(kMostTime)),
                                           column<&Usage::end>(1, whole(kMostTime)),
                                           column<&Usage::job>(2, kJobId),
                                           column<&Usage::task>(3, kTaskIndex),
                                           column<&Usage::rate>(5, kUse),
                                           column<&Usage::canonical_memory>(6, kUse),
                                           column<&Usage::most_memory>(10, kUse)};
constexpr Table<Usage> kUsage{kUsageColumns, {.fields = 19, .most_fields = 20}};

constexpr std::int64_t kNotScheduled = -1, kBeforeTrace = -2;

struct Task {
  std::int64_t start = kNotScheduled;        ///< of the attempt that runs, in microseconds
  std::int64_t finished = -1, longest = -1;  ///< lengths; -1: none
  bool cut = false;                          ///< an attempt began before the trace
  float cpu = kUnknown, memory = kUnknown;   ///< requests
  float most_memory = kUnknown;              ///< use
  double cpu_time = 0, measured = 0;         ///< integral of the CPU rate, and its time
};

struct Job : GroupedJob {
  std::optional<std::int64_t> submit;
  std::int64_t first = 0;  ///< time of its first event
  int priority = 0;
  std::map<std::int64_t, Task> tasks;  ///< by their indices

  EmuTime submission() const { return EmuTime(submit.value_or(first)); }
};

std::string place_of(std::int64_t job, std::int64_t task) {
  return "job " + std::to_string(job) + " task " + std::to_string(task);
}

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    std::vector<Input*> events, machines, usage;
    for (Input& file : files_) {
      const std::vector<Cells> rows = first_rows(file.head(), 1);
      const std::size_t fields = rows.empty() ? 0 : rows.front().size();
      if (fields == kEvents.layout.fields)
        events.push_back(&file);
      else if (fields == kMachines.layout.fields)
        machines.push_back(&file);
      else if (fields == kUsage.layout.fields || fields == kUsage.layout.most_fields)
        usage.push_back(&file);
      else if (fields > 0)  // parts of a sample can be empty
        refuse(file, "its first row has " + std::to_string(fields) +
                         " fields; expected 13 (task_events), 6 (machine_events) or 20 "
                         "(task_usage)");
    }
    if (events.empty() || !looks_like(kEvents, events.front()->head()))
      throw BadTrace{
          "no file has rows of task_events; expected 13 fields: time, missing info, job, task, "
          "machine, event type 0 to 8, …"};
    for (Input* file : machines)
      read_rows(*file, kMachines, [&](const Machine& row) { read_machine(row); });
    for (Input* file : events) {
      last_.reset();
      read_rows(*file, kEvents, [&](const Event& row) { read_event(row); });
    }
    const auto chosen = choose();
    for (Input* file : usage) read_rows(*file, kUsage, [&](const Usage& row) { read_usage(row); });
    Imported imported = made(&task_frame, nodes(), *events.front());
    for (const auto* entry : chosen)
      jobs_.add(std::to_string(entry->first), entry->second.user, entry->second.queue,
                job_of(entry->first, entry->second));
    state(!usage.empty());
    return imported;
  }

 private:
  void read_machine(const Machine& row) {
    if (row.type == 1) return;  // it is removed, often only for a while
    const auto [found, is_new] = machine_of_.emplace(row.id, machines_.size());
    if (is_new) machines_.push_back(whole_);
    check_machines(machines_.size());
    Resources& machine = machines_[found->second];
    if (row.cpu) machine.cores = cores_of(*row.cpu);
    if (row.memory) machine.memory = bytes_of(*row.memory);
    if (!row.cpu || !row.memory) repaired(kMissing);
  }

  Millicores cores_of(double share) const {
    const double millicores = share * static_cast<double>(whole_.cores.count());
    return Millicores(std::max(std::llround(std::min(millicores, 1e7)), 1LL));
  }
  EmuBytes bytes_of(double share) const {
    const double bytes = share * static_cast<double>(whole_.memory.count());
    return EmuBytes(std::max(std::llround(std::min(bytes, 0x1p50)), 1LL));
  }

  void read_event(const Event& row) {
    if (row.time == kAfterTheEnd) return repaired(kLate);
    if (row.time > kMostTime) return repaired(kUnreadable);
    if (!row.lost.empty()) repaired(kReplaced);
    const auto at = static_cast<std::int64_t>(row.time);
    submitted(static_cast<double>(at));
    Job* job = groups_.get(row.job, [&] {
      Job made;
      made.first = at;
      made.user = row.user;
      made.queue = row.queue;
      made.priority = row.priority;
      return made;
    });
    if (!job) return;
    if (job->tasks.empty()) kept();
    const auto [found, is_new] = job->tasks.try_emplace(row.task);
    if (is_new) groups_.count_task();
    apply(*job, found->second, row, at);
  }

  void apply(Job& job, Task& task, const Event& row, std::int64_t at) {
    if (row.type == kSubmit) job.submit = std::min(job.submit.value_or(at), at);
    if (job.user.empty()) job.user = row.user;
    if (row.type == kSchedule) {
      if (task.start >= 0) repaired(kTwice);
      task.start = at == 0 ? kBeforeTrace : at;  // 0 stands for all times before the trace
    }
    if (row.type >= kEvict && row.type <= kLost) return end_attempt(task, row.type, at);
    // The request of the last event before the end of an attempt counts.
    if (row.cpu) task.cpu = static_cast<float>(*row.cpu);
    if (row.memory) task.memory = static_cast<float>(*row.memory);
  }

  void end_attempt(Task& task, int type, std::int64_t at) {
    const std::int64_t start = std::exchange(task.start, kNotScheduled);
    if (start == kBeforeTrace) {
      task.cut = true;
    } else if (start == kNotScheduled) {
      // A task that waits can be killed.
      if (type == kFinish) repaired(kNoSchedule);
    } else if (at < start) {
      repaired(kEndsBefore);
    } else {
      task.longest = std::max(task.longest, at - start);
      if (type == kFinish) task.finished = at - start;
    }
  }

  /// Removes tasks without a length. Returns the jobs that the options choose, in the order of
  /// their submissions.
  std::vector<const JobGroups<std::int64_t, Job>::Entry*> choose() {
    for (auto* entry : groups_.in_order()) {
      auto& [id, job] = *entry;
      std::erase_if(job.tasks, [&, &id = id](const auto& one) {
        const Task& task = one.second;
        if (task.longest >= 0) return false;
        const bool runs = task.cut || task.start != kNotScheduled;
        report_.repaired(runs ? kStillRuns : kNeverRan, place_of(id, one.first));
        return true;
      });
      if (!job.tasks.empty() && !job.submit)
        report_.repaired(kNoSubmit, "job " + std::to_string(id));
    }
    return groups_.choose();
  }

  void read_usage(const Usage& row) {
    if (row.end < row.start) return repaired(kUnreadable);
    Job* job = groups_.find(row.job);
    if (job == nullptr) return;
    const auto found = job->tasks.find(row.task);
    if (found == job->tasks.end()) return;
    Task& task = found->second;
    // A measurement of no length counts as a microsecond.
    const double length = std::max(row.end - row.start, 1.0);
    if (row.rate) {
      task.cpu_time += *row.rate * length;
      task.measured += length;
    } else {
      repaired(kMissing);
    }
    if (const auto memory = row.most_memory ? row.most_memory : row.canonical_memory)
      task.most_memory = std::max(task.most_memory, static_cast<float>(*memory));
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
        add_phase(spec, "p" + std::to_string(at + 1), request(id, index, task));
        tasks.emplace_back();
      }
      // Requests above a machine will be cut to the machine.
      tasks[at].push_back(task_of(id, index, task, min(spec.phases[at].request, largest_)));
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) set_tasks(spec.phases[i], std::move(tasks[i]));
    return spec;
  }

  Resources request(std::int64_t id, std::int64_t index, const Task& task) {
    Resources request;
    request.cores = task.cpu > 0 ? cores_of(task.cpu) : Millicores(1000);
    request.memory =
        task.memory > 0 ? bytes_of(task.memory) : request_of(to_cores(request.cores), {}).memory;
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
    set_work(spec, static_cast<double>(length) / 1e6, request, cores, memory);
    return spec;
  }

  std::vector<NodeSpec> nodes() {
    // The machines are shares of the largest, whose size the options have changed.
    std::vector<NodeSpec> nodes =
        machines_.empty()
            ? equal_cluster(kDefaultNodes, whole_, "",
                            "--nodes, --cores, --memory, or machine_events as another file")
            : cluster_of(machines_,
                         counted(std::ssize(machines_), "machine") + " of machine_events",
                         " (--nodes); machines that are removed stay", false);
    for (const NodeSpec& node : nodes) largest_ = max(largest_, node.allowance);
    return nodes;
  }

  void state(bool has_usage) {
    report_.state("CPU and memory in the trace are shares of the largest machine; it has " +
                  print_cores(whole_.cores) + " cores and " + print_bytes(whole_.memory) +
                  " (--cores, --memory)");
    report_.state("queues are the scheduling classes of the trace");
    report_.state(without_cpu_, "phase",
                  "without a CPU request or with one of 0: 1 core was taken");
    report_.state(
        without_memory_, "phase",
        "without a memory request or with one of 0: " + print_bytes(options_.memory_per_core) +
            " for each core was taken (--memory-per-core)");
    report_.state(unfinished_, "task", "without an end: the length of the longest attempt counts");
    if (has_usage) report_.state(counted(measured_, "task") + " with a use in task_usage");
    state_work();
  }

  /// The size of a machine whose CPU and memory are 1.
  const Resources whole_{options_.cores.value_or(kDefaultCores),
                         options_.memory.value_or(kDefaultMemory)};
  Resources largest_;  ///< of the cluster's nodes
  JobGroups<std::int64_t, Job> groups_{options_, jobs_, kMostTasks};
  std::unordered_map<std::int64_t, std::size_t> machine_of_;
  std::vector<Resources> machines_;
  std::int64_t without_cpu_ = 0, without_memory_ = 0, unfinished_ = 0, measured_ = 0;
};

bool looks_like_events(std::string_view head) { return looks_like(kEvents, head); }

}  // namespace
}  // namespace google

const FormatCode formats::google_2011{&google::looks_like_events, &import_with<google::Reader>,
                                      kUsersAndQueues};

}  // namespace heddle::trace
