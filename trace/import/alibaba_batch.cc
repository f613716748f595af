// Reads batch_task.csv of Alibaba's cluster-trace-v2017 and cluster-trace-v2018
// (https://github.com/alibaba/clusterdata). The second file can be batch_instance.csv of the same
// trace. A job is all rows with the same job name. Each task becomes a phase, and each of its
// instances becomes a task of the phase. In 2018, the names of tasks say which other tasks must be
// complete; in 2017, the tasks of a job are independent.
//
// The trace has normalised memory and no machines, so both are chosen by the options.

#include <array>
#include <cctype>
#include <charconv>
#include <set>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/job_groups.h"

namespace heddle::trace {
namespace alibaba {
namespace {

constexpr int kDefaultNodes = 100;
constexpr double kCoreOfPlan = 100;  ///< one core, in requests
constexpr double kMostCores = 1e4, kMostTasks = 1e6, kMostMemory = 0x1p50;
constexpr std::size_t kMostRows = 20'000'000, kMostInstances = 2'000'000;
constexpr std::size_t kMostLeftOut = 1'000'000;  ///< tasks of which it is known what they depend on
/// The rows of a job are near each other, but not in the order of time.
constexpr EmuTime kSlack{24LL * 3600 * 1'000'000};

constexpr Repair kPhases{"many_tasks", "a job has more than 10000 tasks: the rest was left out"};
constexpr Repair kAttempt{"attempt", "an instance did not terminate: left out"};
constexpr Repair kNotListed{"no_such_task",
                            "an instance of a task that the first file has not, or that was left "
                            "out there: left out"};
constexpr Repair kSameNumber{"same_number",
                             "a task has the number of another task of its job: kept, and "
                             "dependencies mean the first"};
constexpr Repair kNoName{"no_job", "a row has no job or no task: left out"};
constexpr Repair kUnfinished{"unfinished", "did not end successfully: the time it ran was kept"};

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

constexpr Rule kName{.most = 4096, .blank = left_out(kNoName), .above = left_out(kUnreadable)};
constexpr Rule kTime{.least = -kMostSeconds,
                     .most = kMostSeconds,
                     .wrong = left_out(kUnreadable),
                     .below = left_out(kUnreadable),
                     .above = left_out(kUnreadable)};
constexpr Fault kEnded = nearest(kUnfinished, true);
constexpr Word kStatuses[] = {{"Ready", left_out(kNeverRan)},
                              {"Waiting", left_out(kNeverRan)},
                              {"Terminated"},
                              {"Running", kEnded},
                              {"Failed", kEnded},
                              {"Cancelled", kEnded},
                              {"Interrupted", kEnded},
                              {"Interupted", kEnded}};
/// A figure of an instance's use. 0 is a use.
constexpr Rule use(double most, double per) {
  Rule rule = figure(most * per, 1, per);
  rule.least = 0;
  return rule;
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

/// Properties of a year's trace.
struct Year {
  Table<TaskRow> tasks;
  Table<InstanceRow> instances;
  bool has_order = true;             ///< the names of tasks say which others come before
  bool instances_have_names = true;  ///< without names, equal rows are different instances
  Resources machine;                 ///< default
  std::string_view expected;         ///< for errors
};

constexpr auto kTasks2017 = task_columns(
    {.job = 2, .task = 3, .status = 5, .start = 0, .end = 1, .cpu = 6, .memory = 7}, 4, 1);
constexpr auto kInstances2017 = instance_columns(
    {.job = 2, .task = 3, .status = 5, .start = 0, .end = 1, .cpu = 9, .memory = 11}, 1, 1);
const Year kYear2017{
    .tasks = {kTasks2017, {.fields = 8, .header = true}},
    .instances = {kInstances2017, {.fields = 12, .header = true}},
    .has_order = false,
    .instances_have_names = false,
    .machine = {Millicores(64'000), EmuBytes(256LL << 30)},
    .expected = "8 fields: create time, end time, job, task, instances, status, CPU, memory"};

constexpr auto kTasks2018 = task_columns(
    {.job = 2, .task = 0, .status = 4, .start = 5, .end = 6, .cpu = 7, .memory = 8}, 1, 100);
constexpr auto kInstances2018 = instance_columns(
    {.job = 2, .task = 1, .status = 4, .start = 5, .end = 6, .cpu = 10, .memory = 12}, 100, 100);
const Year kYear2018{
    .tasks = {kTasks2018, {.fields = 9, .header = true}},
    .instances = {kInstances2018, {.fields = 14, .header = true}},
    .machine = {Millicores(96'000), EmuBytes(384LL << 30)},
    .expected = "9 fields: task, instances, job, type, status, start time, end time, CPU, memory"};

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

/// Returns the number of a task, and the numbers of the tasks that must be complete. Returns
/// nothing if the name is of no task of a graph. "R4_2_3" is task 4 after the tasks 2 and 3.
std::vector<std::int64_t> numbers_of(std::string_view name) {
  std::vector<std::int64_t> numbers;
  std::size_t at = 0;
  while (at < name.size() && std::isalpha(static_cast<unsigned char>(name[at]))) ++at;
  while (at > 0 && at < name.size()) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(name.data() + at, name.data() + name.size(), value);
    if (error != std::errc() || value < 0) break;
    numbers.push_back(value);
    at = static_cast<std::size_t>(end - name.data());
    if (at >= name.size() || name[at] != '_') break;
    ++at;
  }
  return numbers;
}

/// Removes dependencies from phases that depend on themselves through others. Returns their number.
int break_cycles(std::vector<PhaseSpec>& phases) {
  enum class State { kNew, kOpen, kDone };
  std::vector<State> states(phases.size(), State::kNew);
  int removed = 0;
  // The recursion is at most as deep as a job has phases, kMostPhases.
  const std::function<void(std::size_t)> visit = [&](std::size_t index) {
    states[index] = State::kOpen;
    removed += static_cast<int>(std::erase_if(phases[index].after, [&](int after) {
      const auto next = static_cast<std::size_t>(after);
      if (states[next] == State::kNew) visit(next);
      return states[next] == State::kOpen;
    }));
    states[index] = State::kDone;
  };
  for (std::size_t i = 0; i < phases.size(); ++i)
    if (states[i] == State::kNew) visit(i);
  return removed;
}

/// The dependencies of tasks that were left out, by number.
using LeftOut = std::map<std::int64_t, std::vector<std::int64_t>>;

/// Returns the numbers, with the dependencies of a task that was left out in its place.
std::set<std::int64_t> through(const LeftOut& left_out, std::span<const std::int64_t> numbers) {
  std::set<std::int64_t> found, seen;
  std::vector<std::int64_t> open(numbers.begin(), numbers.end());
  while (!open.empty()) {
    const std::int64_t number = open.back();
    open.pop_back();
    if (!seen.insert(number).second) continue;
    if (const auto task = left_out.find(number); task != left_out.end())
      open.insert(open.end(), task->second.begin(), task->second.end());
    else
      found.insert(number);
  }
  return found;
}

/// Sets the dependencies of the phases by the names of their tasks.
void link(const std::string& id, const Job& job, const LeftOut& left_out,
          std::vector<PhaseSpec>& phases, ImportReport& report) {
  const std::string where = "job " + id.substr(0, kLongestName);
  std::map<std::int64_t, int> by_number;
  std::vector<std::vector<std::int64_t>> numbers;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    numbers.push_back(numbers_of(job.tasks[i].name));
    if (!numbers[i].empty() && !by_number.emplace(numbers[i].front(), static_cast<int>(i)).second)
      report.repaired(kSameNumber, where);
  }
  for (std::size_t i = 0; i < phases.size(); ++i) {
    std::set<int> after;
    if (numbers[i].empty()) continue;
    for (const std::int64_t number : through(left_out, std::span(numbers[i]).subspan(1))) {
      const auto found = by_number.find(number);
      if (found == by_number.end() || found->second == static_cast<int>(i))
        report.repaired(kNoDependency, where);
      else
        after.insert(found->second);
    }
    phases[i].after.assign(after.begin(), after.end());
  }
  for (int removed = break_cycles(phases); removed > 0; --removed)
    report.repaired(kNoDependency, where);
}

std::size_t hash_of(const Cells& row) {
  std::size_t hash = 0;
  for (const std::string_view text : row) hash = hash * 31 + std::hash<std::string_view>()(text);
  return hash;
}

template <const Year& kYear>
bool looks_like_tasks(std::string_view head) {
  return looks_like(kYear.tasks, head);
}

template <const Year& kYear>
class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    if (!looks_like_tasks<kYear>(files_.front().head()))
      throw BadTrace{"its first rows are not of batch_task.csv; expected " +
                     std::string(kYear.expected)};
    read_rows(files_.front(), kYear.tasks, [&](const TaskRow& row) { read_task(row); });
    auto chosen = groups_.choose();
    chosen_ = std::ssize(chosen);
    for (std::size_t i = 1; i < files_.size(); ++i) read_instances(files_[i]);
    std::ranges::sort(chosen, {}, [](const auto* entry) { return entry->second.order; });
    for (const auto* entry : chosen)
      jobs_.add(entry->first, "", "", job_of(entry->first, entry->second));
    Imported imported =
        made(&task_frame, equal_cluster(kDefaultNodes, machine_, "; the trace has no machines"));
    state(files_.size() > 1);
    return imported;
  }

 private:
  void read_instances(Input& file) {
    if (!looks_like(kYear.instances, file.head()))
      refuse(file, "its first rows are not of batch_instance.csv; expected " +
                       std::to_string(kYear.instances.layout.fields) + " fields");
    read_rows(file, kYear.instances,
              [&](const InstanceRow& row, const Cells& cells) { read_instance(row, cells); });
  }

  /// Returns the length of a row in seconds. Returns nullopt if its times can't be used.
  std::optional<double> length_of(const auto& row) {
    const Repair* wrong = nullptr;
    if (!row.start)
      wrong = &kUnreadable;
    else if (row.end.value_or(0) == 0 || *row.start == -1)
      wrong = &kNeverRan;
    else if (*row.end < *row.start)
      wrong = &kEndsBefore;
    if (wrong) return repaired(*wrong), std::nullopt;
    if (*row.end == *row.start) repaired(kZeroTime);
    return std::min(*row.end - *row.start, kMostSeconds);
  }

  void read_task(const TaskRow& row) {
    const auto seconds = length_of(row);
    if (!seconds) return leave_out(row);
    kept();
    without_cpu_ += !row.cores;
    without_memory_ += !row.memory;
    auto bytes = row.memory;
    if (bytes) *bytes *= static_cast<double>(machine_.memory.count());
    const EmuTime start = emu_seconds(*row.start);
    Job* job = groups_.get(row.job, [&] {
      Job made;
      made.submit = start;
      return made;
    });
    if (job == nullptr) return;
    job->submit = std::min(job->submit, start);
    if (std::ranges::find(job->tasks, row.name, &Task::name) != job->tasks.end())
      return repaired(kDuplicate);
    if (job->tasks.size() >= kMostPhases) return repaired(kPhases);
    job->tasks.push_back(
        {std::string(row.name), row.instances, *seconds, request_of(row.cores, bytes), {}});
    groups_.count_task();
  }

  /// Notes what a task that is left out depends on, because others can depend on it.
  void leave_out(const TaskRow& row) {
    const std::vector<std::int64_t> numbers = numbers_of(row.name);
    if (numbers.empty() || left_out_count_ == kMostLeftOut) return;
    ++left_out_count_;
    left_out_[std::string(row.job)][numbers.front()] = {numbers.begin() + 1, numbers.end()};
  }

  void read_instance(const InstanceRow& row, const Cells& cells) {
    Job* job = groups_.find(row.job);
    if (job == nullptr || !job->chosen) {
      // If not all jobs were chosen, it can be of one that was not.
      if (chosen_ == report_.found) repaired(kNotListed);
      return;
    }
    if (job->tasks[job->last].name != row.task) {
      const auto task = std::ranges::find(job->tasks, row.task, &Task::name);
      if (task == job->tasks.end()) return repaired(kNotListed);
      job->last = static_cast<std::size_t>(task - job->tasks.begin());
    }
    if (row.status != "Terminated") return repaired(kAttempt);
    const auto seconds = length_of(row);
    if (!seconds) return;
    if (kYear.instances_have_names && !rows_.add(hash_of(cells))) return repaired(kDuplicate);
    if (++instances_ > kMostInstances)
      throw BadTrace{"the chosen jobs have more than " + std::to_string(kMostInstances) +
                     " instances; expected --jobs, --sample, --from or --until"};
    kept();
    Instance& instance = job->tasks[job->last].each.emplace_back();
    instance.seconds = static_cast<float>(*seconds);
    if (row.cores) instance.cores = static_cast<float>(*row.cores);
    if (row.memory)
      instance.memory = static_cast<float>(
          std::min(*row.memory * static_cast<double>(machine_.memory.count()), kMostMemory));
  }

  JobSpec job_of(const std::string& id, const Job& job) {
    JobSpec spec;
    spec.submit = job.submit;
    UniqueNames names;
    for (const Task& task : job.tasks) {
      std::string name = as_in_names(task.name);
      if (!valid_name(name) || number(name)) name = as_in_names("t" + name);
      fill(add_phase(spec, names.of(name), task.request), task);
    }
    if (kYear.has_order) {
      const auto left_out = left_out_.find(id);
      link(id, job, left_out == left_out_.end() ? LeftOut() : left_out->second, spec.phases,
           report_);
    }
    return spec;
  }

  void fill(PhaseSpec& phase, const Task& task) {
    // Requests above a machine will be cut to the machine.
    const Resources request = min(phase.request, machine_);
    if (task.each.empty()) {
      phase.tasks = task.instances;
      set_work(phase, task.seconds, request);
      without_instances_ += task.instances > 1;
      return;
    }
    other_count_ += std::ssize(task.each) != task.instances;
    const auto known = [](float value) {
      return value < 0 ? std::nullopt : std::optional<double>(value);
    };
    std::vector<TaskSpec> each(std::min(task.each.size(), static_cast<std::size_t>(kMostTasks)));
    for (std::size_t i = 0; i < each.size(); ++i)
      set_work(each[i], task.each[i].seconds, request, known(task.each[i].cores),
               known(task.each[i].memory));
    set_tasks(phase, std::move(each));
  }

  void state(bool has_instances) {
    report_.state("memory is a share of a machine in the trace and is multiplied by " +
                  print_bytes(machine_.memory) + " (--memory); CPU 100 is one core");
    if (!kYear.has_order)
      report_.state(
          "the trace has no order of tasks; all tasks of a job can start at its "
          "submission");
    report_.state(without_cpu_, "row", "without a CPU request: 1 core was taken");
    report_.state(without_memory_, "row",
                  "without a memory request: " + print_bytes(options_.memory_per_core) +
                      " for each core was taken (--memory-per-core)");
    report_.state(without_instances_, "phase",
                  std::string("with several instances of which only the time from the first start "
                              "to the last end is known: each instance takes this time") +
                      (has_instances ? "" : " (give batch_instance.csv as the second file)"));
    report_.state(other_count_, "phase",
                  "with another number of instances in batch_instance.csv: its rows count");
    state_work();
  }

  /// The machine of which memory in the trace is a share.
  const Resources machine_{options_.cores.value_or(kYear.machine.cores),
                           options_.memory.value_or(kYear.machine.memory)};
  JobGroups<std::string, Job> groups_{options_, jobs_, kMostRows, kSlack};
  Seen rows_;  ///< of instances
  std::size_t instances_ = 0;
  std::map<std::string, LeftOut> left_out_;  ///< by job
  std::size_t left_out_count_ = 0;
  std::int64_t chosen_ = 0;
  std::int64_t without_cpu_ = 0, without_memory_ = 0, without_instances_ = 0, other_count_ = 0;
};

}  // namespace
}  // namespace alibaba

const FormatCode formats::alibaba_2017{&alibaba::looks_like_tasks<alibaba::kYear2017>,
                                       &import_with<alibaba::Reader<alibaba::kYear2017>>};
const FormatCode formats::alibaba_2018{&alibaba::looks_like_tasks<alibaba::kYear2018>,
                                       &import_with<alibaba::Reader<alibaba::kYear2018>>};

}  // namespace heddle::trace
