#include "trace/import/alibaba.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/csv.h"
#include "trace/import/scaling.h"

namespace heddle::trace {
namespace alibaba {
namespace {

using Row = std::vector<std::string_view>;

constexpr std::size_t kNoField = 99;
/// Positions of the fields in a row of batch_task.csv or batch_instance.csv.
struct Layout {
  std::size_t fields = 0, job = 0, task = 0, status = 0, start = 0, end = 0, cpu = 0, memory = 0;
  std::size_t instances = kNoField;  ///< only in batch_task.csv
};

/// Properties of a year's trace.
struct Format {
  Layout tasks, instances;
  bool graph = false;         ///< whether names of tasks have numbers of other tasks
  double whole_memory = 1;    ///< memory of a machine, in the trace
  double core_of_use = 1;     ///< one core, in the CPU figures of instances
  Resources machine;          ///< default
  std::string_view expected;  ///< for errors
};

const Format kFormat2017{
    .tasks = {8, 2, 3, 5, 0, 1, 6, 7, 4},
    .instances = {12, 2, 3, 5, 0, 1, 9, 11},
    .machine = {Millicores(64'000), EmuBytes(256LL << 30)},
    .expected = "8 fields: create time, end time, job, task, instances, status, CPU, memory"};
const Format kFormat2018{
    .tasks = {9, 2, 0, 4, 5, 6, 7, 8, 1},
    .instances = {14, 2, 1, 4, 5, 6, 10, 12},
    .graph = true,
    .whole_memory = 100,
    .core_of_use = 100,
    .machine = {Millicores(96'000), EmuBytes(384LL << 30)},
    .expected = "9 fields: task, instances, job, type, status, start time, end time, CPU, memory"};

constexpr double kCoreOfPlan = 100;  ///< one core, in requests
constexpr double kMostCores = 1e4, kMostMemory = 1LL << 50;
constexpr double kMostTasks = 1e6;  ///< of a phase
constexpr int kDefaultNodes = 100;
constexpr std::size_t kLooked = 20;        ///< rows by which a file is recognised; most are right
constexpr std::size_t kMostPhases = 1000;  ///< of a job
constexpr std::size_t kLongestId = 4096;
constexpr std::size_t kMostRows = 20'000'000, kMostInstances = 2'000'000;
constexpr std::size_t kMostPassed = 10'000'000;
/// A job whose first row starts so much before --from or after --until is not kept. The rows of a
/// job are near each other, but not in the order of time.
constexpr EmuTime kSlack{24LL * 3600 * 1'000'000};

constexpr std::array<std::string_view, 8> kStatuses{"Ready",       "Waiting",   "Running",
                                                    "Terminated",  "Failed",    "Cancelled",
                                                    "Interrupted", "Interupted"};

constexpr Repair kNoName{"no_job", "a row has no job or no task: left out"};
constexpr Repair kUnfinished{"unfinished", "did not end successfully: the time it ran was kept"};
constexpr Repair kSameNumber{"same_number",
                             "a task has the number of another task of its job: kept, and "
                             "dependencies mean the first"};
constexpr Repair kPhases{"many_tasks", "a job has more than 1000 tasks: the rest was left out"};
constexpr Repair kAttempt{"attempt", "an instance did not terminate: left out"};

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

bool is_status(std::string_view word) {
  return std::ranges::find(kStatuses, word) != kStatuses.end();
}

std::string_view field(const Row& row, std::size_t index) {
  return index < row.size() ? row[index] : std::string_view();
}

bool is_header(const Row& row, const Layout& layout) {
  return row.size() >= layout.fields && !csv::number(row[layout.start]) &&
         !csv::number(row[layout.end]) && !is_status(row[layout.status]) &&
         row[layout.start].find("time") != std::string_view::npos;
}

bool is_row(const Row& row, const Layout& layout) {
  if (row.size() != layout.fields || !is_status(row[layout.status])) return false;
  for (const std::size_t index : {layout.start, layout.end})
    if (!row[index].empty() && !csv::number(row[index])) return false;
  for (const std::size_t index : {layout.cpu, layout.memory})
    if (!row[index].empty() && !csv::number(row[index])) return false;
  return layout.instances == kNoField || csv::number(row[layout.instances]).has_value();
}

bool looks_like(std::string_view head, const Layout& layout) {
  std::vector<Row> rows = csv::first_rows(head, kLooked);
  if (!rows.empty() && is_header(rows.front(), layout)) rows.erase(rows.begin());
  return 2 * std::ranges::count_if(rows, [&](const Row& row) { return is_row(row, layout); }) >
         std::ssize(rows);
}

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
class CycleBreaker {
 public:
  explicit CycleBreaker(std::vector<PhaseSpec>& phases)
      : phases_(phases), states_(phases.size(), State::kNew) {}

  int run() {
    for (std::size_t i = 0; i < phases_.size(); ++i)
      if (states_[i] == State::kNew) visit(i);
    return removed_;
  }

 private:
  enum class State { kNew, kOpen, kDone };

  // The recursion is at most kMostPhases deep.
  void visit(std::size_t index) {
    states_[index] = State::kOpen;
    removed_ += static_cast<int>(std::erase_if(phases_[index].after, [&](int after) {
      const auto next = static_cast<std::size_t>(after);
      if (states_[next] == State::kNew) visit(next);
      return states_[next] == State::kOpen;
    }));
    states_[index] = State::kDone;
  }

  std::vector<PhaseSpec>& phases_;
  std::vector<State> states_;
  int removed_ = 0;
};

class Reader {
 public:
  Reader(const Format& format, const ImportOptions& options, JobCollection& jobs,
         ImportReport& report)
      : format_(format),
        options_(options),
        collection_(jobs),
        report_(report),
        probe_options_(options),
        probe_(probe_options_, probe_report_),
        machine_{options.cores.value_or(format.machine.cores),
                 options.memory.value_or(format.machine.memory)},
        work_(options) {
    if (probe_options_.from) *probe_options_.from -= kSlack;
    if (probe_options_.until) *probe_options_.until += kSlack;
  }

  Imported read(std::vector<Input>& files) {
    read_rows(files.front(), format_.tasks, [&](const Row& row) { read_task(row); });
    settle();
    for (std::size_t i = 1; i < files.size(); ++i) {
      if (!looks_like(files[i].head(), format_.instances))
        throw BadTrace{files[i].name() +
                           ": its first rows are not of batch_instance.csv; expected " +
                           std::to_string(format_.instances.fields) + " fields",
                       true};
      read_rows(files[i], format_.instances, [&](const Row& row) { read_instance(row); });
    }
    for (const Jobs::value_type* entry : in_order())
      collection_.add(entry->first, "", "", job_of(entry->first, entry->second));
    Imported imported;
    imported.scenario = task_frame(options_, files.front().name());
    imported.scenario.cluster.nodes = equal_nodes(options_.nodes.value_or(kDefaultNodes), machine_);
    state(files.size() > 1);
    return imported;
  }

 private:
  template <typename Function>
  void read_rows(Input& input, const Layout& layout, const Function& read_row) {
    input_ = &input;
    Row row;
    bool first = true;
    while (const auto line = input.line()) {
      if (line->empty() || line->starts_with('#')) continue;
      csv::split(*line, row);
      if (std::exchange(first, false) && is_header(row, layout)) continue;
      ++report_.rows;
      if (row.size() < layout.fields) report_.repaired(kFieldsMissing, input);
      if (row.size() > layout.fields) report_.repaired(kFieldsMore, input);
      read_row(row);
    }
  }

  /// Returns a number that is at least 0. Counts a repair if there is none.
  std::optional<double> figure(const Row& row, std::size_t index) {
    const std::string_view text = field(row, index);
    const std::optional<double> value = csv::number(text);
    if (value && *value > 0) return value;
    report_.repaired(text.empty() || value ? kMissing : kNoNumber, *input_);
    return std::nullopt;
  }

  /// Returns the start and the length of a row in seconds. Returns nullopt if they can't be used.
  std::optional<std::pair<double, double>> times_of(const Row& row, const Layout& layout) {
    const std::optional<double> start = csv::number(field(row, layout.start));
    const std::string_view end_text = field(row, layout.end);
    const std::optional<double> end = csv::number(end_text);
    const Repair* wrong = nullptr;
    if (!start || std::abs(*start) > kMostSeconds || (!end && !end_text.empty()) ||
        std::abs(end.value_or(0)) > kMostSeconds)
      wrong = &kUnreadable;
    else if (end.value_or(0) == 0)
      wrong = &kNeverRan;
    else if (*end < *start)
      wrong = &kEndsBefore;
    if (wrong) {
      report_.repaired(*wrong, *input_);
      return std::nullopt;
    }
    if (*end == *start) report_.repaired(kZeroTime, *input_);
    return std::pair(*start, std::min(*end - *start, kMostSeconds));
  }

  /// Returns the number of instances; nullopt if the row can't be used.
  std::optional<int> instances_of(const Row& row) {
    const std::string_view text = field(row, format_.tasks.instances);
    const std::optional<double> value = csv::number(text);
    if (!value) {
      report_.repaired(text.empty() ? kMissing : kNoNumber, *input_);
      return 1;
    }
    if (*value != std::floor(*value)) report_.repaired(kFraction, *input_);
    const double count = std::round(*value);
    if (count >= 1 && count <= kMostTasks) return static_cast<int>(count);
    report_.repaired(count < 1 ? kNoTask : kUnreadable, *input_);
    return std::nullopt;
  }

  void read_task(const Row& row) {
    const std::string_view job = field(row, format_.tasks.job),
                           name = field(row, format_.tasks.task);
    if (job.empty() || name.empty()) return report_.repaired(kNoName, *input_);
    if (job.size() > kLongestId || name.size() > kLongestId)
      return report_.repaired(kUnreadable, *input_);
    const std::string_view status = field(row, format_.tasks.status);
    if (status == "Waiting" || status == "Ready") return report_.repaired(kNeverRan, *input_);
    const std::optional<int> instances = instances_of(row);
    if (!instances) return;
    const auto times = times_of(row, format_.tasks);
    if (!times) return;
    if (!is_status(status))
      report_.repaired(kUnknownStatus, *input_);
    else if (status != "Terminated")
      report_.repaired(kUnfinished, *input_);
    Task task;
    task.name = name;
    task.instances = *instances;
    task.seconds = times->second;
    task.request = request_of(row);
    add(job, emu_seconds(times->first), std::move(task));
  }

  Resources request_of(const Row& row) {
    const std::optional<double> cpu = figure(row, format_.tasks.cpu);
    const double cores = std::min(cpu.value_or(kCoreOfPlan) / kCoreOfPlan, kMostCores);
    const std::optional<double> memory = figure(row, format_.tasks.memory);
    without_cpu_ += !cpu;
    without_memory_ += !memory;
    const double bytes =
        memory ? *memory / format_.whole_memory * static_cast<double>(machine_.memory.count())
               : static_cast<double>(options_.memory_per_core.count()) * cores;
    return {Millicores(std::max(std::llround(cores * 1000), 1LL)),
            EmuBytes(std::max(std::llround(std::min(bytes, kMostMemory)), 1LL))};
  }

  void add(std::string_view name, EmuTime start, Task task) {
    auto found = jobs_.find(name);
    if (found == jobs_.end()) {
      const std::size_t hash = Hash()(name);
      if (passed_.contains(hash)) return;
      if (!probe_.takes(name, start, "", "")) return pass(name, start);
      found = jobs_.emplace(name, Job()).first;
      found->second.order = next_++;
      found->second.submit = start;
      if (options_.jobs)
        keep_first(static_cast<std::size_t>(*options_.jobs), true);
      else if (jobs_.size() > 2 * kMostImportedJobs)
        throw BadTrace{"more than " + std::to_string(kMostImportedJobs) +
                       " jobs are chosen; expected --jobs, --sample, --from or --until"};
      found = jobs_.find(name);
      if (found == jobs_.end()) return;
    }
    Job& job = found->second;
    job.submit = std::min(job.submit, start);
    if (std::ranges::find(job.tasks, task.name, &Task::name) != job.tasks.end())
      return report_.repaired(kDuplicate, *input_);
    if (job.tasks.size() >= kMostPhases) return report_.repaired(kPhases, *input_);
    job.tasks.push_back(std::move(task));
    if (++held_ > kMostRows)
      throw BadTrace{"the chosen jobs have more than " + std::to_string(kMostRows) +
                     " tasks; expected --jobs, --sample, --from or --until"};
  }

  /// Counts a job that is not kept, and ignores its other rows.
  void pass(std::string_view name, EmuTime submit) {
    (void)collection_.takes(name, submit, "", "");
    if (passed_.size() >= kMostPassed) passed_.clear();  // its later rows may count as another job
    passed_.insert(Hash()(name));
  }

  /// Keeps only the jobs that are submitted first. If `lazy`, keeps more of them, and does nothing
  /// until there are many more.
  void keep_first(std::size_t count, bool lazy) {
    if (lazy) {
      if (jobs_.size() < 4 * count + 20'000) return;
      count = 2 * count + 10'000;
    }
    std::vector<const Jobs::value_type*> entries = in_order();
    std::ranges::stable_sort(entries, {},
                             [](const Jobs::value_type* entry) { return entry->second.submit; });
    for (std::size_t i = count; i < entries.size(); ++i) {
      const auto entry = jobs_.find(entries[i]->first);
      if (lazy) pass(entry->first, entry->second.submit);
      held_ -= entry->second.tasks.size();
      jobs_.erase(entry);
    }
  }

  /// Keeps only the jobs that the options choose.
  void settle() {
    for (const Jobs::value_type* entry : in_order())
      if (!collection_.takes(entry->first, entry->second.submit, "", ""))
        jobs_.erase(jobs_.find(entry->first));
    if (options_.jobs) keep_first(static_cast<std::size_t>(*options_.jobs), false);
  }

  /// Returns the jobs in the order of their first rows.
  std::vector<const Jobs::value_type*> in_order() const {
    std::vector<const Jobs::value_type*> entries;
    entries.reserve(jobs_.size());
    for (const Jobs::value_type& entry : jobs_) entries.push_back(&entry);
    std::ranges::sort(entries, {},
                      [](const Jobs::value_type* entry) { return entry->second.order; });
    return entries;
  }

  void read_instance(const Row& row) {
    const Layout& layout = format_.instances;
    const std::string_view name = field(row, layout.job), task_name = field(row, layout.task);
    if (name.empty() || task_name.empty()) return report_.repaired(kNoName, *input_);
    const auto found = jobs_.find(name);
    if (found == jobs_.end()) return;
    Job& job = found->second;
    if (job.tasks[job.last].name != task_name) {
      const auto task = std::ranges::find(job.tasks, task_name, &Task::name);
      if (task == job.tasks.end()) return;
      job.last = static_cast<std::size_t>(task - job.tasks.begin());
    }
    if (field(row, layout.status) != "Terminated") return report_.repaired(kAttempt, *input_);
    const auto times = times_of(row, layout);
    if (!times) return;
    if (++instances_ > kMostInstances)
      throw BadTrace{"the chosen jobs have more than " + std::to_string(kMostInstances) +
                     " instances; expected --jobs, --sample, --from or --until"};
    Instance& instance = job.tasks[job.last].each.emplace_back();
    instance.seconds = static_cast<float>(times->second);
    if (const auto cpu = use(row, layout.cpu))
      instance.cores = static_cast<float>(std::min(*cpu / format_.core_of_use, kMostCores));
    if (const auto memory = use(row, layout.memory))
      instance.memory = static_cast<float>(
          std::min(*memory / format_.whole_memory * static_cast<double>(machine_.memory.count()),
                   kMostMemory));
  }

  /// Returns a figure of an instance's use. 0 is a use.
  std::optional<double> use(const Row& row, std::size_t index) {
    const std::string_view text = field(row, index);
    const std::optional<double> value = csv::number(text);
    if (value && *value >= 0) return value;
    report_.repaired(text.empty() || value ? kMissing : kNoNumber, *input_);
    return std::nullopt;
  }

  JobSpec job_of(const std::string& id, const Job& job) {
    JobSpec spec;
    spec.submit = job.submit;
    std::set<std::string> names;
    for (const Task& task : job.tasks) {
      PhaseSpec& phase = spec.phases.emplace_back();
      phase.name = name_of(task.name, names);
      phase.request = task.request;
      set_work(phase, task);
    }
    if (format_.graph) link(id, job, spec.phases);
    return spec;
  }

  static std::string name_of(std::string_view text, std::set<std::string>& taken) {
    std::string base(text.substr(0, kLongestName));
    for (char& c : base)
      if (!valid_name(std::string("a") + c)) c = '_';
    if (!valid_name(base) || csv::number(base)) base = ("t" + base).substr(0, kLongestName);
    std::string name = base;
    for (int next = 2; !taken.insert(name).second; ++next) {
      const std::string behind = "-" + std::to_string(next);
      name = base.substr(0, kLongestName - behind.size()) + behind;
    }
    return name;
  }

  void set_work(PhaseSpec& phase, const Task& task) {
    // Requests above a machine will be cut to the machine.
    const Resources request = min(phase.request, machine_);
    if (task.each.empty()) {
      phase.tasks = task.instances;
      work_.set(phase, task.seconds, request, std::nullopt, std::nullopt);
      without_instances_ += task.instances > 1;
      return;
    }
    other_count_ += std::ssize(task.each) != task.instances;
    const auto known = [](float value) {
      return value < 0 ? std::nullopt : std::optional<double>(value);
    };
    std::vector<TaskSpec> each(std::min(task.each.size(), static_cast<std::size_t>(kMostTasks)));
    for (std::size_t i = 0; i < each.size(); ++i)
      work_.set(each[i], task.each[i].seconds, request, known(task.each[i].cores),
                known(task.each[i].memory));
    csv::Work::set_tasks(phase, std::move(each));
  }

  /// Sets the dependencies of the phases by the names of their tasks.
  void link(const std::string& id, const Job& job, std::vector<PhaseSpec>& phases) {
    const std::string where = "job " + id.substr(0, kLongestName);
    std::map<std::int64_t, int> by_number;
    std::vector<std::vector<std::int64_t>> numbers;
    for (std::size_t i = 0; i < job.tasks.size(); ++i) {
      numbers.push_back(numbers_of(job.tasks[i].name));
      if (!numbers[i].empty() && !by_number.emplace(numbers[i].front(), static_cast<int>(i)).second)
        report_.repaired(kSameNumber, where);
    }
    for (std::size_t i = 0; i < phases.size(); ++i) {
      std::set<int> after;
      for (std::size_t k = 1; k < numbers[i].size(); ++k) {
        const auto found = by_number.find(numbers[i][k]);
        if (found == by_number.end() || found->second == static_cast<int>(i))
          report_.repaired(kNoDependency, where);
        else
          after.insert(found->second);
      }
      phases[i].after.assign(after.begin(), after.end());
    }
    for (int removed = CycleBreaker(phases).run(); removed > 0; --removed)
      report_.repaired(kNoDependency, where);
  }

  void state(bool has_instances) {
    report_.state("cluster: " + nodes_text(options_.nodes.value_or(kDefaultNodes), machine_) +
                  "; the trace has no machines (--nodes, --cores, --memory)");
    report_.state("memory in the trace is a share of a machine, so it is multiplied by " +
                  print_bytes(machine_.memory) + " (--memory); CPU 100 is one core");
    if (!format_.graph)
      report_.state(
          "the trace has no order of tasks; all tasks of a job can start at its "
          "submission");
    if (without_cpu_ > 0)
      report_.state(counted(without_cpu_, "row") + " without a CPU request: 1 core was taken");
    if (without_memory_ > 0)
      report_.state(counted(without_memory_, "row") +
                    " without a memory request: " + print_bytes(options_.memory_per_core) +
                    " for each core was taken (--memory-per-core)");
    if (without_instances_ > 0)
      report_.state(counted(without_instances_, "phase") +
                    " with several instances of which only the time from the first start to the "
                    "last end is known: each instance takes this time" +
                    (has_instances ? "" : " (give batch_instance.csv as the second file)"));
    if (other_count_ > 0)
      report_.state(counted(other_count_, "phase") +
                    " with another number of instances in batch_instance.csv: its rows count");
    work_.state(report_);
  }

  const Format& format_;
  const ImportOptions& options_;
  JobCollection& collection_;
  ImportReport& report_;
  ImportOptions probe_options_;
  ImportReport probe_report_;
  JobCollection probe_;  ///< says early whether a job can be chosen
  Resources machine_;
  csv::Work work_;
  Input* input_ = nullptr;
  Jobs jobs_;
  std::unordered_set<std::size_t> passed_;  ///< hashes of the ids of jobs that are not kept
  std::int64_t next_ = 0;
  std::size_t held_ = 0, instances_ = 0;
  std::int64_t without_cpu_ = 0, without_memory_ = 0, without_instances_ = 0, other_count_ = 0;
};

Imported import(const Format& format, std::vector<Input>& files, const ImportOptions& options,
                JobCollection& jobs, ImportReport& report) {
  if (!looks_like(files.front().head(), format.tasks))
    throw BadTrace{"its first rows are not of batch_task.csv; expected " +
                   std::string(format.expected)};
  return Reader(format, options, jobs, report).read(files);
}

}  // namespace
}  // namespace alibaba

Imported import_alibaba_2017(std::vector<Input>& files, const ImportOptions& options,
                             JobCollection& jobs, ImportReport& report) {
  return alibaba::import(alibaba::kFormat2017, files, options, jobs, report);
}

Imported import_alibaba_2018(std::vector<Input>& files, const ImportOptions& options,
                             JobCollection& jobs, ImportReport& report) {
  return alibaba::import(alibaba::kFormat2018, files, options, jobs, report);
}

bool is_alibaba_2017(std::string_view head) {
  return alibaba::looks_like(head, alibaba::kFormat2017.tasks);
}

bool is_alibaba_2018(std::string_view head) {
  return alibaba::looks_like(head, alibaba::kFormat2018.tasks);
}

}  // namespace heddle::trace
