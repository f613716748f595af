#include "trace/import/alibaba_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "trace/import/csv.h"

namespace heddle::trace::alibaba {
namespace {

constexpr std::size_t kLooked = 20;  ///< rows by which a file is recognised; most are right
constexpr double kCoreOfPlan = 100;  ///< one core, in requests
constexpr double kMostCores = 1e4, kMostMemory = 1LL << 50;
constexpr std::size_t kMostPhases = 1000;  ///< of a job
constexpr std::size_t kLongestId = 4096;
constexpr std::size_t kMostRows = 20'000'000, kMostInstances = 2'000'000;
constexpr std::size_t kMostPassed = 10'000'000;
/// A job whose first row starts so much before --from or after --until is not kept. The rows of a
/// job are near each other, but not in the order of time.
constexpr EmuTime kSlack{24LL * 3600 * 1'000'000};

constexpr Repair kNoName{"no_job", "a row has no job or no task: left out"};
constexpr Repair kUnfinished{"unfinished", "did not end successfully: the time it ran was kept"};
constexpr Repair kPhases{"many_tasks", "a job has more than 1000 tasks: the rest was left out"};
constexpr Repair kAttempt{"attempt", "an instance did not terminate: left out"};
constexpr Repair kNotListed{"no_such_task",
                            "an instance of a task that the first file has not, or that was left "
                            "out there: left out"};

constexpr std::array<std::string_view, 8> kStatuses{"Ready",       "Waiting",   "Running",
                                                    "Terminated",  "Failed",    "Cancelled",
                                                    "Interrupted", "Interupted"};

std::size_t hash_of(const Row& row) {
  std::size_t hash = 0;
  for (const std::string_view text : row) hash = hash * 31 + std::hash<std::string_view>()(text);
  return hash;
}

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

}  // namespace

bool looks_like(std::string_view head, const Layout& layout) {
  std::vector<Row> rows = csv::first_rows(head, kLooked);
  if (!rows.empty() && is_header(rows.front(), layout)) rows.erase(rows.begin());
  return 2 * std::ranges::count_if(rows, [&](const Row& row) { return is_row(row, layout); }) >
         std::ssize(rows);
}

BatchRows::BatchRows(const Format& format, const ImportOptions& options, JobCollection& jobs,
                     ImportReport& report)
    : format_(format),
      options_(options),
      collection_(jobs),
      report_(report),
      probe_options_(options),
      probe_(probe_options_, probe_report_),
      machine_{options.cores.value_or(format.machine.cores),
               options.memory.value_or(format.machine.memory)} {
  if (probe_options_.from) *probe_options_.from -= kSlack;
  if (probe_options_.until) *probe_options_.until += kSlack;
}

void BatchRows::read(std::vector<Input>& files) {
  read_rows(files.front(), format_.tasks, &BatchRows::read_task);
  settle();
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (!looks_like(files[i].head(), format_.instances))
      throw BadTrace{files[i].name() + ": its first rows are not of batch_instance.csv; expected " +
                         std::to_string(format_.instances.fields) + " fields",
                     true};
    read_rows(files[i], format_.instances, &BatchRows::read_instance);
  }
}

void BatchRows::read_rows(Input& input, const Layout& layout,
                          void (BatchRows::*read_row)(const Row&)) {
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
    (this->*read_row)(row);
  }
}

/// Returns a number that is at least 0. Counts a repair if there is none.
std::optional<double> BatchRows::figure(const Row& row, std::size_t index) {
  const std::string_view text = field(row, index);
  const std::optional<double> value = csv::number(text);
  if (value && *value > 0) return value;
  report_.repaired(text.empty() || value ? kMissing : kNoNumber, *input_);
  return std::nullopt;
}

/// Returns the start and the length of a row in seconds. Returns nullopt if they can't be used.
std::optional<std::pair<double, double>> BatchRows::times_of(const Row& row, const Layout& layout) {
  const std::optional<double> start = csv::number(field(row, layout.start));
  const std::string_view end_text = field(row, layout.end);
  const std::optional<double> end = csv::number(end_text);
  const Repair* wrong = nullptr;
  if (!start || std::abs(*start) > kMostSeconds || (!end && !end_text.empty()) ||
      std::abs(end.value_or(0)) > kMostSeconds)
    wrong = &kUnreadable;
  else if (end.value_or(0) == 0 || *start == -1)
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
std::optional<int> BatchRows::instances_of(const Row& row) {
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

void BatchRows::read_task(const Row& row) {
  const std::string_view job = field(row, format_.tasks.job), name = field(row, format_.tasks.task);
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

Resources BatchRows::request_of(const Row& row) {
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

void BatchRows::add(std::string_view name, EmuTime start, Task task) {
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
void BatchRows::pass(std::string_view name, EmuTime submit) {
  (void)collection_.takes(name, submit, "", "");
  if (passed_.size() >= kMostPassed) passed_.clear();  // its later rows may count as another job
  passed_.insert(Hash()(name));
}

/// Keeps only the jobs that are submitted first. If `lazy`, keeps more of them, and does nothing
/// until there are many more.
void BatchRows::keep_first(std::size_t count, bool lazy) {
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
void BatchRows::settle() {
  for (const Jobs::value_type* entry : in_order())
    if (!collection_.takes(entry->first, entry->second.submit, "", ""))
      jobs_.erase(jobs_.find(entry->first));
  if (options_.jobs) keep_first(static_cast<std::size_t>(*options_.jobs), false);
}

std::vector<const Jobs::value_type*> BatchRows::in_order() const {
  std::vector<const Jobs::value_type*> entries;
  entries.reserve(jobs_.size());
  for (const Jobs::value_type& entry : jobs_) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const Jobs::value_type* entry) { return entry->second.order; });
  return entries;
}

void BatchRows::read_instance(const Row& row) {
  const Layout& layout = format_.instances;
  const std::string_view name = field(row, layout.job), task_name = field(row, layout.task);
  if (name.empty() || task_name.empty()) return report_.repaired(kNoName, *input_);
  const auto found = jobs_.find(name);
  if (found == jobs_.end()) {
    // If not all jobs were chosen, it can be of one that was not.
    if (std::ssize(jobs_) == report_.found) report_.repaired(kNotListed, *input_);
    return;
  }
  Job& job = found->second;
  if (job.tasks[job.last].name != task_name) {
    const auto task = std::ranges::find(job.tasks, task_name, &Task::name);
    if (task == job.tasks.end()) return report_.repaired(kNotListed, *input_);
    job.last = static_cast<std::size_t>(task - job.tasks.begin());
  }
  if (field(row, layout.status) != "Terminated") return report_.repaired(kAttempt, *input_);
  const auto times = times_of(row, layout);
  if (!times) return;
  // Without names, equal rows are instances that ran at the same time.
  if (layout.name != kNoField && !seen_.insert(hash_of(row)).second)
    return report_.repaired(kDuplicate, *input_);
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
std::optional<double> BatchRows::use(const Row& row, std::size_t index) {
  const std::string_view text = field(row, index);
  const std::optional<double> value = csv::number(text);
  if (value && *value >= 0) return value;
  report_.repaired(text.empty() || value ? kMissing : kNoNumber, *input_);
  return std::nullopt;
}

}  // namespace heddle::trace::alibaba
