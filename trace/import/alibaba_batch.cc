#include "trace/import/alibaba_batch.h"

#include <set>

#include "common/text.h"
#include "core/scenario/quantity_text.h"

namespace heddle::trace::alibaba {
namespace {

constexpr int kDefaultNodes = 100;
constexpr double kMostMemory = 0x1p50;
constexpr std::size_t kMostPhases = 1000;  ///< of a job
constexpr std::size_t kMostRows = 20'000'000, kMostInstances = 2'000'000;
/// The rows of a job are near each other, but not in the order of time.
constexpr EmuTime kSlack{24LL * 3600 * 1'000'000};

constexpr Repair kPhases{"many_tasks", "a job has more than 1000 tasks: the rest was left out"};
constexpr Repair kAttempt{"attempt", "an instance did not terminate: left out"};
constexpr Repair kNotListed{"no_such_task",
                            "an instance of a task that the first file has not, or that was left "
                            "out there: left out"};

std::size_t hash_of(const Cells& row) {
  std::size_t hash = 0;
  for (const std::string_view text : row) hash = hash * 31 + std::hash<std::string_view>()(text);
  return hash;
}

class Reader : public Importer {
 public:
  Reader(const Year& year, std::vector<Input>& files, const ImportOptions& options,
         JobCollection& jobs, ImportReport& report)
      : Importer(files, options, jobs, report),
        year_(year),
        machine_{options.cores.value_or(year.machine.cores),
                 options.memory.value_or(year.machine.memory)},
        groups_(options, jobs, kMostRows, kSlack) {}

  Imported read() {
    read_rows(files_.front(), year_.tasks, [&](const TaskRow& row) { read_task(row); });
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
    if (!looks_like(year_.instances, file.head()))
      throw BadTrace{file.name() + ": its first rows are not of batch_instance.csv; expected " +
                         std::to_string(year_.instances.layout.fields) + " fields",
                     true};
    read_rows(file, year_.instances,
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
    if (!seconds) return;
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
    if (year_.instances_have_names && !rows_.add(hash_of(cells))) return repaired(kDuplicate);
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
    std::set<std::string> names;
    for (const Task& task : job.tasks) {
      PhaseSpec& phase = spec.phases.emplace_back();
      phase.name = name_of(task.name, names);
      phase.request = task.request;
      fill(phase, task);
    }
    if (year_.link != nullptr) year_.link(id, job, spec.phases, report_);
    return spec;
  }

  static std::string name_of(std::string_view text, std::set<std::string>& taken) {
    std::string base(text.substr(0, kLongestName));
    for (char& c : base)
      if (!valid_name(std::string("a") + c)) c = '_';
    if (!valid_name(base) || number(base)) base = ("t" + base).substr(0, kLongestName);
    std::string name = base;
    for (int next = 2; !taken.insert(name).second; ++next) {
      const std::string behind = "-" + std::to_string(next);
      name = base.substr(0, kLongestName - behind.size()) + behind;
    }
    return name;
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
    if (year_.link == nullptr)
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

  const Year& year_;
  const Resources machine_;  ///< of which memory in the trace is a share
  JobGroups<std::string, Job> groups_;
  Seen rows_;  ///< of instances
  std::size_t instances_ = 0;
  std::int64_t chosen_ = 0;
  std::int64_t without_cpu_ = 0, without_memory_ = 0, without_instances_ = 0, other_count_ = 0;
};

}  // namespace

Imported import(const Year& year, std::vector<Input>& files, const ImportOptions& options,
                JobCollection& jobs, ImportReport& report) {
  if (!looks_like(year.tasks, files.front().head()))
    throw BadTrace{"its first rows are not of batch_task.csv; expected " +
                   std::string(year.expected)};
  return Reader(year, files, options, jobs, report).read();
}

}  // namespace heddle::trace::alibaba
