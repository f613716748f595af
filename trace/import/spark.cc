// Reads event logs of Apache Spark (spark.eventLog.enabled), a JSON event on each line. The field
// names are those of Spark's JsonProtocol. Each application becomes a job. Files of a rolling log
// can follow each other: a file without a start event continues the application before it.
//
// With --as tasks, each stage that ran is a phase. Its tasks are the first successful attempts of
// the stage's tasks, which take from their launch to their finish. A phase comes after its parents
// and after the stages that were complete when it was submitted, without those that others imply.
// With
// --as executors, the executors are containers that run the stages
// (trace/import/spark_executors.h).
//
// The machines are the hosts of executors, with the most cores that executors had there at the
// same time.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <tuple>

#include "common/number.h"
#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/gpus.h"
#include "trace/import/spark_app.h"
#include "trace/import/spark_executors.h"
#include "trace/import/spark_parts.h"

namespace heddle::trace {
namespace spark {
namespace {

using wire::Json;

constexpr std::size_t kLongestEvent = 16U << 20;  ///< of an event that is parsed
constexpr std::int64_t kLongestTask = static_cast<std::int64_t>(kMostSeconds) * 1000;
constexpr std::int64_t kMostTasks = 1'000'000, kMostTaskCores = 1000;  ///< of a phase, of a task
// Limits on an application, while it is read.
constexpr std::size_t kMostStages = 100'000, kMostParents = 10'000, kMostUses = 1'000'000;
constexpr std::int64_t kMostRuns = 10'000'000;

constexpr Repair kMissingPart{
    "missing_part", "a part of a log is missing: what it had of the application is left out"};
constexpr Repair kSameLog{"same_log",
                          "begins like another log of the same application: their events were "
                          "merged"};
constexpr Repair kAttempt{"attempt",
                          "an application was attempted again: left out, the last attempt counts"};
constexpr Repair kNoStart{"no_start",
                          "an application has no start event: it begins with its first stage"};
constexpr Repair kFailed{"task_failed",
                         "an attempt of a task failed: left out, the successful one counts"};
constexpr Repair kKilled{"task_killed",
                         "an attempt of a task was killed: left out, the successful one counts"};
constexpr Repair kLargeTask{
    "peak_above_request",
    "a task used more memory than its part of the executor: its use is cut to its request"};
constexpr Repair kResubmitted{
    "task_resubmitted",
    "the output of a task was lost with its executor: the task's first success counts"};

// Values. Those of another type or out of range count as missing.

constexpr Rule integer(std::int64_t least, std::int64_t most, double unit = 1) {
  return {.least = static_cast<double>(least),
          .most = static_cast<double>(most),
          .unit = unit,
          .whole = true,
          .fraction = kNearest};
}
/// Milliseconds since 1970.
constexpr Rule kTime = integer(0, kLatest);
constexpr Rule kStageId = integer(0, std::numeric_limits<std::int32_t>::max());
/// A property that is a number of cores.
constexpr Rule cores(std::int64_t most) {
  return {.least = 1, .most = static_cast<double>(most), .whole = true};
}

/// Reads a size such as "4g" or "512MB". A number without a unit counts MiB, as in Spark.
std::optional<double> read_memory(std::string_view size) {
  const std::size_t unit_at = std::min(size.find_first_not_of("0123456789"), size.size());
  const auto value = number(size.substr(0, unit_at));
  std::string unit(size.substr(unit_at));
  for (char& c : unit)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (unit.size() == 2 && unit[0] != 'b' && unit[1] == 'b') unit.pop_back();
  if (unit.empty()) unit = "m";
  const std::size_t power = std::string_view("bkmgtp").find(unit[0]);
  if (!value || unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  const double bytes = *value * std::exp2(10.0 * static_cast<double>(power));
  return bytes >= 1 && bytes <= double{kMostBytes} ? std::optional(bytes) : std::nullopt;
}
constexpr Rule kBytes{.read = &read_memory};

/// Reads a time such as "60s", "5m" or "90". A number without a unit counts seconds, as in Spark.
std::optional<double> read_seconds(std::string_view time) {
  const std::size_t unit_at = std::min(time.find_first_not_of("0123456789"), time.size());
  const auto value = number(time.substr(0, unit_at));
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},     {"us", 1e-6}, {"ms", 1e-3},
                                                            {"s", 1},    {"m", 60},    {"min", 60},
                                                            {"h", 3600}, {"d", 86400}};
  for (const auto& [unit, seconds] : kUnits)
    if (value && time.substr(unit_at) == unit) return *value * seconds;
  return std::nullopt;
}
constexpr Rule kSeconds{.read = &read_seconds};

/// The start or the end of an application.
struct Bound {
  std::string id, attempt, user;
  Integer at;
};
constexpr Column<Bound> kBound[] = {
    column<&Bound::id>("App ID", kWord), column<&Bound::attempt>("App Attempt ID", kWord),
    column<&Bound::user>("User", kWord), column<&Bound::at>("Timestamp", kTime)};

constexpr Column<App> kEnvironment[] = {
    column<&App::executor_cores>("Spark Properties/spark.executor.cores",
                                 cores(kMostExecutorCores)),
    column<&App::task_cores>("Spark Properties/spark.task.cpus", cores(kMostTaskCores)),
    column<&App::executor_memory>("Spark Properties/spark.executor.memory", kBytes),
    column<&App::driver_memory>("Spark Properties/spark.driver.memory", kBytes),
    column<&App::executor_gpus>("Spark Properties/spark.executor.resource.gpu.amount", kIfKnown),
    column<&App::task_gpus>("Spark Properties/spark.task.resource.gpu.amount", kIfKnown),
    column<&App::executor_overhead>("Spark Properties/spark.executor.memoryOverhead", kBytes),
    column<&App::driver_overhead>("Spark Properties/spark.driver.memoryOverhead", kBytes),
    column<&App::overhead_factor>("Spark Properties/spark.executor.memoryOverheadFactor", kIfKnown),
    column<&App::driver_cores>("Spark Properties/spark.driver.cores", cores(kMostTaskCores)),
    column<&App::master_memory>("Spark Properties/spark.yarn.am.memory", kBytes),
    column<&App::master_overhead>("Spark Properties/spark.yarn.am.memoryOverhead", kBytes),
    column<&App::master_cores>("Spark Properties/spark.yarn.am.cores", cores(kMostTaskCores)),
    column<&App::deploy_mode>("Spark Properties/spark.submit.deployMode", kWord),
    column<&App::dynamic>("Spark Properties/spark.dynamicAllocation.enabled", kWord),
    column<&App::idle_timeout>("Spark Properties/spark.dynamicAllocation.executorIdleTimeout",
                               kSeconds),
    column<&App::queue>("Spark Properties/spark.yarn.queue", kWord),
    column<&App::property_id>("Spark Properties/spark.app.id", kWord),
    column<&App::master>("Spark Properties/spark.master", kWord)};
constexpr Column<App> kProfile[] = {column<&App::profile_memory>(
    "Executor Resource Requests/memory/Amount", integer(1, kMostBytes >> 20, 1 << 20))};

struct Executor {
  std::string id, host;
  Integer cores, at;
};
constexpr Column<Executor> kExecutor[] = {
    column<&Executor::id>("Executor ID", kWord),
    column<&Executor::host>("Executor Info/Host", kWord),
    column<&Executor::cores>("Executor Info/Total Cores", integer(1, kMostExecutorCores)),
    column<&Executor::at>("Timestamp", kTime)};

struct BlockManager {
  std::string executor, host;
};
constexpr Column<BlockManager> kBlockManager[] = {
    column<&BlockManager::executor>("Block Manager ID/Executor ID", kWord),
    column<&BlockManager::host>("Block Manager ID/Host", kWord)};

struct StageInfo {
  Integer id, submit, complete, tasks;
};
constexpr Column<StageInfo> kStage[] = {
    column<&StageInfo::id>("Stage Info/Stage ID", kStageId),
    column<&StageInfo::submit>("Stage Info/Submission Time", kTime),
    column<&StageInfo::complete>("Stage Info/Completion Time", kTime),
    column<&StageInfo::tasks>("Stage Info/Number of Tasks", integer(0, kMostTasks))};

/// Peaks of an executor's memory, in bytes. The fields are some of Spark's ExecutorMetricType.
struct Peaks {
  Integer jvm, python, other;              ///< resident memory of its processes
  Integer heap, off_heap, direct, mapped;  ///< of its JVM
  std::int64_t bytes() const {
    const std::int64_t resident = jvm.value_or(0) + python.value_or(0) + other.value_or(0);
    if (resident > 0) return resident;
    return heap.value_or(0) + off_heap.value_or(0) + direct.value_or(0) + mapped.value_or(0);
  }
};
constexpr Rule kPeak = integer(0, kMostBytes);
constexpr Column<Peaks> kPeaks[] = {column<&Peaks::jvm>("ProcessTreeJVMRSSMemory", kPeak),
                                    column<&Peaks::python>("ProcessTreePythonRSSMemory", kPeak),
                                    column<&Peaks::other>("ProcessTreeOtherRSSMemory", kPeak),
                                    column<&Peaks::heap>("JVMHeapMemory", kPeak),
                                    column<&Peaks::off_heap>("JVMOffHeapMemory", kPeak),
                                    column<&Peaks::direct>("DirectPoolMemory", kPeak),
                                    column<&Peaks::mapped>("MappedPoolMemory", kPeak)};

/// The executor and the stage of an event with such peaks.
struct PeakOf {
  std::string executor;
  Integer stage;
};
constexpr Column<PeakOf> kPeakOf[] = {column<&PeakOf::executor>("Executor ID", kWord),
                                      column<&PeakOf::stage>("Stage ID", kStageId)};

struct TaskEnd {
  std::string reason, host;
  bool killed = false, failed = false;
  Integer launch, finish, index, stage, cpu, run, memory;
};
constexpr Column<TaskEnd> kTask[] = {
    column<&TaskEnd::reason>("Task End Reason/Reason", kWord),
    column<&TaskEnd::killed>("Task Info/Killed"), column<&TaskEnd::failed>("Task Info/Failed"),
    column<&TaskEnd::launch>("Task Info/Launch Time", kTime),
    column<&TaskEnd::finish>("Task Info/Finish Time", kTime),
    column<&TaskEnd::index>("Task Info/Index", integer(0, kMostTasks - 1)),
    column<&TaskEnd::host>("Task Info/Host", kWord), column<&TaskEnd::stage>("Stage ID", kStageId),
    // Nanoseconds and milliseconds become core-microseconds.
    column<&TaskEnd::cpu>("Task Metrics/Executor CPU Time",
                          integer(0, std::numeric_limits<std::int64_t>::max() / 2)),
    column<&TaskEnd::run>("Task Metrics/Executor Run Time", integer(0, kLongestTask)),
    column<&TaskEnd::memory>("Task Metrics/Peak Execution Memory", kPeak)};

/// Returns the name of the event on a line, or "" if the line does not begin with it.
std::string_view event_of(std::string_view line) {
  for (std::string_view word : {"{", "\"Event\"", ":", "\""}) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return "";
    line.remove_prefix(word.size());
  }
  return line.substr(0, std::min(line.find('"'), line.size()));
}

bool looks_like_spark(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  const std::string_view name = event_of(head);
  return name.starts_with("SparkListener") || name.starts_with("org.apache.spark.") ||
         name == "DBCEventLoggingListenerMetadata";  // the first event of Databricks
}

/// Reads "local[4]", "local[4,1]" or "local-cluster[2,4,1024]".
void read_master(App& app, std::string_view master) {
  const std::string_view kind = take_until(master, '[');
  if (kind != "local" && kind != "local-cluster") return;
  if (kind == "local") app.local = true;
  if (!master.ends_with(']')) return;
  master.remove_suffix(1);
  if (kind == "local") {
    app.local_cores = read_number<std::int64_t>(master.substr(0, master.find(',')));
    if (app.local_cores < 1 || app.local_cores > kMostExecutorCores) app.local_cores.reset();
  } else if (const std::size_t last = master.rfind(',');
             last != std::string_view::npos && !app.executor_memory) {
    if (const auto bytes = read_memory(master.substr(last + 1)))
      app.executor_memory = static_cast<std::int64_t>(*bytes);
  }
}

class Reader : public Importer {
 public:
  using Importer::Importer;

  Imported read() {
    std::vector<std::string> paths;
    for (const Input& file : files_) paths.push_back(file.name());
    const Parts parts = parts_of_logs(paths);
    for (const std::string& path : parts.missing) report_.repaired(kMissingPart, path);
    for (const std::size_t index : parts.order) {
      Input& file = files_[index];
      input_ = &file;
      if (file.head().empty() && files_.size() > 1) continue;  // the status file of a rolling log
      if (!looks_like_spark(file.head()))
        refuse(file,
               "its first line is no event of Spark; expected {\"Event\":\"SparkListener…\", …}");
      pending_ = App();
      current_ = nullptr;
      while (const auto line = file.line())
        if (line->find_first_not_of(" \t") != std::string_view::npos) read_line(*line);
    }
    finish_group();
    Imported imported = made(&task_frame, machines_.nodes());
    give_gpus(imported.scenario.cluster);
    state();
    return imported;
  }

 private:
  // Events. -----------------------------------------------------------------------------------

  using Handler = void (Reader::*)(const Json& event);
  /// Returns what reads such an event. Returns nullptr if the event is not needed.
  static Handler handler(std::string_view name) {
    constexpr std::pair<std::string_view, Handler> kHandlers[] = {
        {"SparkListenerTaskEnd", &Reader::task_end},
        {"SparkListenerStageSubmitted", &Reader::stage},
        {"SparkListenerStageCompleted", &Reader::stage},
        {"SparkListenerStageExecutorMetrics", &Reader::peaks},
        {"SparkListenerExecutorAdded", &Reader::executor_added},
        {"SparkListenerExecutorRemoved", &Reader::executor_removed},
        {"SparkListenerBlockManagerAdded", &Reader::block_manager},
        {"SparkListenerEnvironmentUpdate", &Reader::environment},
        {"SparkListenerResourceProfileAdded", &Reader::profile},
        {"SparkListenerLogStart", &Reader::log_start},
        {"SparkListenerApplicationStart", &Reader::start},
        {"SparkListenerApplicationEnd", &Reader::end}};
    for (const auto& [event, handle] : kHandlers)
      if (event == name) return handle;
    return nullptr;
  }

  void read_line(std::string_view line) {
    ++report_.rows;
    const std::string_view known = event_of(line);
    if (!known.empty() && handler(known) == nullptr) return;
    if (line.size() > kLongestEvent) return repaired(kUnreadable);
    judge_.begin(*input_);
    const Json event = wire::parse_json(line);
    const Json* name = find(event, "Event");
    if (name == nullptr || !name->is_string()) return repaired(kUnreadable);
    if (const Handler handle = handler(name->get_ref<const std::string&>())) (this->*handle)(event);
  }

  /// Returns the application of events that can come before its start.
  App& near() { return current_ != nullptr ? *current_ : pending_; }

  /// Returns the application of events that come only after its start. If the file has no start,
  /// it continues the application of the file before.
  App& running() {
    if (current_ != nullptr) return *current_;
    if (last_ != nullptr && (pending_.id.empty() || pending_.id == last_->id)) {
      merge(*last_);
      return *(current_ = last_);
    }
    repaired(kNoStart);
    if (pending_.id.empty()) pending_.id = name_of_file();
    return add_pending();
  }

  /// Returns the id of an application whose log has none: the name of the file.
  std::string name_of_file() const {
    const std::string& path = input_->name();
    return printable_line(path.substr(path.rfind('/') + 1)).substr(0, 256);
  }

  /// Adds what came before the start to an application that is known.
  void merge(App& app) {
    for (auto setting : {&App::executor_cores, &App::executor_memory, &App::driver_memory,
                         &App::task_cores, &App::profile_memory, &App::local_cores})
      if (!(app.*setting)) app.*setting = pending_.*setting;
    for (auto setting : {&App::executor_gpus, &App::task_gpus})
      if (!(app.*setting)) app.*setting = pending_.*setting;
    app.local |= pending_.local;
    for (auto& [id, use] : pending_.executors) app.executors.emplace(id, use);
    app.logged_executors += pending_.logged_executors;
    if (app.driver_host.empty()) app.driver_host = pending_.driver_host;
    app.saw(pending_.latest);
    pending_ = App();
  }

  App& add_pending() {
    if (!group_.empty() && group_.front()->id != pending_.id) finish_group();
    group_.push_back(std::make_unique<App>(std::move(pending_)));
    pending_ = App();
    return *(current_ = last_ = group_.back().get());
  }

  void log_start(const Json&) {
    pending_ = App();
    current_ = nullptr;
  }

  void start(const Json& event) {
    const auto [id, attempt, user, at] = read_json(event, kBound);
    if (!at) return repaired(kUnreadable);
    pending_.id = id.empty() ? name_of_file() : id;
    for (const auto& app : group_) {
      if (app->id != pending_.id || app->attempt != attempt || app->start != at) continue;
      repaired(kSameLog);
      merge(*app);
      current_ = last_ = app.get();
      return;
    }
    if (!starts_.insert({pending_.id, attempt, *at}).second) {
      repaired(kDuplicate);
      pending_.ignored = true;
    }
    pending_.attempt = attempt;
    pending_.start = at;
    pending_.user = user;
    see_start(*at, pending_.id);
    add_pending();
  }

  void end(const Json& event) {
    App& app = near();
    const Integer at = read_json(event, kBound).at;
    if (at) app.end = std::max(app.end.value_or(0), *at);
    app.saw(at);
    pending_ = App();
    current_ = nullptr;
  }

  void environment(const Json& event) {
    App& app = near();
    read_json(event, kEnvironment, app);
    if (app.id.empty()) app.id = app.property_id;
    read_master(app, app.master);
  }

  void profile(const Json& event) {
    if (!near().profile_memory) read_json(event, kProfile, near());
  }

  void executor_added(const Json& event) {
    const Executor added = read_json(event, kExecutor);
    if (!added.at || !added.cores || added.host.empty()) return repaired(kUnreadable);
    near().saw(added.at);
    near().executors.emplace(added.id, Use{added.host, *added.cores, *added.at});
    ++near().logged_executors;
  }

  /// The driver has a block manager too, which says its host.
  void block_manager(const Json& event) {
    const BlockManager added = read_json(event, kBlockManager);
    if (added.executor == "driver" || added.executor == "<driver>") near().driver_host = added.host;
  }

  void executor_removed(const Json& event) {
    App& app = near();
    const Executor removed = read_json(event, kExecutor);
    if (!removed.at) return repaired(kUnreadable);
    app.saw(removed.at);
    const auto found = app.executors.find(removed.id);
    if (found == app.executors.end()) return;
    found->second.until = std::max(found->second.from, *removed.at);
    if (app.uses.size() < kMostUses) app.uses.push_back(found->second);
    app.executors.erase(found);
  }

  Stage* stage_of(App& app, Integer id) {
    if (!id || (app.stages.size() >= kMostStages && !app.stages.contains(*id)))
      return repaired(kUnreadable), nullptr;
    Stage& stage = app.stages[*id];
    stage.id = *id;
    return &stage;
  }

  void stage(const Json& event) {
    App& app = running();
    const StageInfo info = read_json(event, kStage);
    Stage* stage = stage_of(app, info.id);
    if (stage == nullptr) return;
    app.saw(info.submit);
    app.saw(info.complete);
    if (info.submit) stage->submit = std::min(stage->submit, *info.submit);
    if (info.complete && find(event, "Stage Info/Failure Reason") != nullptr)
      stage->failed = std::max(stage->failed, *info.complete);
    else if (info.complete)
      stage->complete = std::min(stage->complete, *info.complete);
    // Later attempts have only the tasks that must run again.
    stage->tasks = std::max(stage->tasks, info.tasks.value_or(0));
    if (!stage->parents.empty()) return;
    for (const Json& parent : elements(event, "Stage Info/Parent IDs"))
      if (parent.is_number() && parent >= 0 && parent <= kStageId.most &&
          stage->parents.size() < kMostParents)
        stage->parents.push_back(std::llround(parent.get<double>()));
  }

  void peaks(const Json& event) {
    App& app = running();
    const PeakOf of = read_json(event, kPeakOf);
    const Json* metrics = find(event, "Executor Metrics");
    if (metrics == nullptr || (of.executor == "driver" && !app.local)) return;
    if (Stage* stage = stage_of(app, of.stage); stage != nullptr) note_peak(*metrics, *stage);
  }

  void note_peak(const Json& metrics, Stage& stage) {
    stage.peak = std::max(stage.peak, read_json(metrics, kPeaks).bytes());
  }

  void task_end(const Json& event) {
    App& app = running();
    const TaskEnd task = read_json(event, kTask);
    if (task.reason == "Resubmitted") return repaired(kResubmitted);
    if (task.killed || task.reason == "TaskKilled") return repaired(kKilled);
    if (task.failed || (!task.reason.empty() && task.reason != "Success")) return repaired(kFailed);
    if (!task.launch || !task.finish || !task.index || app.runs >= kMostRuns)
      return repaired(kUnreadable);
    const std::int64_t length = *task.finish - *task.launch;
    if (length < 0) return repaired(kEndsBefore);
    if (length > kLongestTask) return repaired(kUnreadable);
    Stage* stage = stage_of(app, task.stage);
    if (stage == nullptr) return;
    if (length == 0) repaired(kZeroTime);
    const auto next = static_cast<int>(app.hosts.size());
    const int host = app.hosts.emplace(task.host, next).first->second;
    Run run{static_cast<int>(*task.index), host, *task.launch, length};
    if (options_.work == ImportOptions::Work::kCpu) {
      // Nanoseconds or milliseconds become core-microseconds.
      run.cpu = task.cpu ? *task.cpu / 1000 : task.run.value_or(0) * 1000;
      without_cpu_ += !task.cpu;
    }
    run.memory = task.memory.value_or(0);
    if (const Json* metrics = find(event, "Task Executor Metrics"); metrics != nullptr)
      note_peak(*metrics, *stage);
    stage->runs.push_back(run);
    ++app.runs;
    app.saw(task.finish);
  }

  // Jobs. -------------------------------------------------------------------------------------

  /// The first application that starts is at time 0 of the trace.
  void see_start(std::int64_t at, const std::string& id) {
    if (!zero_) zero_.emplace(at, id);
  }

  /// Makes jobs of the applications that have the same id. There are several if an application was
  /// attempted again.
  void finish_group() {
    const App* latest = nullptr;
    for (const auto& app : group_)
      if (app->runs > 0 && (latest == nullptr || app->start >= latest->start)) latest = app.get();
    for (const auto& app : group_) {
      if (app->ignored) continue;
      machines_.add(*app);
      if (latest != nullptr && app->attempt != latest->attempt)
        report_.repaired(kAttempt, "application " + app->id + ", attempt " + app->attempt);
      else
        finish(*app);
    }
    group_.clear();
    current_ = last_ = nullptr;
  }

  void finish(App& app) {
    const std::vector<Stage*> stages = executed(app, report_);
    if (stages.empty()) return report_.repaired(kNoTask, "application " + app.id);
    const std::int64_t start = app.start.value_or(stages.front()->submit);
    see_start(start, app.id);
    add(app.id, app.user, app.queue, EmuTime((start - zero_->first) * 1000), [&](JobSpec& job) {
      without_memory_ += !app.bytes_of_executor();
      if (has_executors(app, options_))
        make_executors(app, stages, job);
      else
        make_tasks(app, stages, job);
    });
  }

  void make_tasks(App& app, const std::vector<Stage*>& stages, JobSpec& job) {
    const std::int64_t cores = app.task_cores.value_or(1);
    const EmuBytes memory = app.memory_per_core(options_.memory_per_core) * cores;
    Resources request{Millicores(cores * 1000), std::min(memory, EmuBytes(kMostBytes))};
    request.counts.set(0, gpus_of(app));
    for (std::size_t i = 0; i < stages.size(); ++i) {
      PhaseSpec& phase = add_phase(job, "stage-" + std::to_string(stages[i]->id), request);
      phase.after = stages_before(stages, i, report_);
      std::vector<TaskSpec> tasks;
      for (const Run& run : stages[i]->runs) {
        tasks.push_back(task_of(run, cores));
        if (run.memory <= 0) continue;
        ++with_peak_;
        if (run.memory > request.memory.count())
          report_.repaired(kLargeTask, "application " + app.id);
        tasks.back().memory.emplace_back(
            0, Drawn{.mean = static_cast<double>(std::min(run.memory, request.memory.count()))});
      }
      set_tasks(phase, std::move(tasks));
    }
    ++of_tasks_;
  }

  void make_executors(App& app, const std::vector<Stage*>& stages, JobSpec& job) {
    const std::vector<StageGroup> groups = groups_of(stages, report_);
    const Executors executors = executors_of(app, stages);
    make_executor_job(app, groups, executors, options_, job, report_);
    // A task's part of the GPUs of its executor is not modelled: the executor holds all of them.
    job.phases.back().request.counts.set(0, gpus_of_executor(app));
    stages_ += std::ssize(stages);
    groups_ += std::ssize(groups);
    for (const StageGroup& group : groups) tasks_ += group.tasks;
    executors_ += executors.all;
    held_s_ += executors.held_s;
    busy_s_ += executors.busy_s;
    dynamic_ += job.deploy == Deploy::kDynamic;
    drivers_ += job.has_am();
    without_peak_ += job.phases.back().memory.empty();
    ++of_executors_;
  }

  Thousandths gpus_of_executor(const App& app) {
    if (app.task_gpus.value_or(0) <= 0) return Thousandths(0);
    const auto gpus = Gpus::amount(app.executor_gpus.value_or(0));
    if (!gpus) report_.repaired(kUnclearGpus, "application " + app.id);
    const Thousandths asked = gpus.value_or(Thousandths(0));
    most_gpus_ = std::max(most_gpus_, asked);
    gpu_apps_ += asked > Thousandths(0);
    return asked;
  }

  /// Returns what a task of the application requests of GPUs.
  Thousandths gpus_of(const App& app) {
    const double amount = app.task_gpus.value_or(0);
    const auto gpus = amount < 1 && amount != 0 ? Gpus::amount(1, amount) : Gpus::amount(amount);
    if (!gpus) report_.repaired(kUnclearGpus, "application " + app.id);
    const Thousandths asked = gpus.value_or(Thousandths(0));
    most_gpus_ = std::max(most_gpus_, asked);
    gpu_apps_ += asked > Thousandths(0);
    return asked;
  }

  /// Gives the nodes the GPUs of the executors.
  void give_gpus(ClusterSpec& cluster) {
    if (gpu_apps_ == 0) return;
    Gpus gpus;
    gpus.add_machines(machines_.gpus());
    const std::int64_t number = (most_gpus_.count() + kWholeDevice - 1) / kWholeDevice;
    gpus.give(cluster, static_cast<int>(number), "tasks of " + counted(gpu_apps_, "application"),
              report_);
  }

  static TaskSpec task_of(const Run& run, std::int64_t cores) {
    const auto time = static_cast<double>(std::max<std::int64_t>(run.length * 1000, 1));
    const auto threads = static_cast<double>(cores);
    TaskSpec task;
    task.cpu.mean = std::min(static_cast<double>(run.cpu), time * threads);
    task.sleep.mean = std::round(time - task.cpu.mean / threads);
    return task;
  }

  void state() {
    if (zero_) report_.state("time 0 of the trace is the start of application " + zero_->second);
    state_executors();
    report_.state(
        "a stage starts after its parents and after the stages that were complete when it was "
        "submitted; the time of the driver between stages is left out");
    if (of_tasks_ > 0 && options_.work == ImportOptions::Work::kSleep)
      report_.state(
          "tasks sleep from their launch to their finish (--work cpu: they compute for "
          "their CPU time)");
    if (with_peak_ > 0)
      report_.state("tasks with a peak of memory: " + std::to_string(with_peak_) +
                    "; they use it from their beginning");
    if (without_cpu_ > 0)
      report_.state("tasks without a CPU time: " + std::to_string(without_cpu_) +
                    "; they compute for their run time");
    if (without_memory_ > 0)
      report_.state("applications without a memory of executors: " +
                    std::to_string(without_memory_) + "; their tasks request " +
                    print_bytes(options_.memory_per_core) + " per core (--memory-per-core)");
  }

  void state_executors() {
    if (of_executors_ == 0) return;
    report_.state(counted(of_executors_, "application") +
                  " with executors: " + counted(executors_, "executor") + ", " +
                  counted(stages_, "stage") + ", " + counted(tasks_, "task") + ", " +
                  counted(drivers_, "application master") + ", " + std::to_string(dynamic_) +
                  " with dynamic allocation (--as tasks: each task becomes a container)");
    if (held_s_ > 0)
      report_.state("executors were held for " + print_fraction(std::round(held_s_)) +
                    " s, and idle for " +
                    print_percent(std::round((1 - busy_s_ / held_s_) * 1e4) / 1e4) + " of it");
    report_.state(
        "the times of a group's tasks are drawn from a lognormal distribution with the mean and "
        "the deviation of the log; tasks compute for this time");
    if (groups_ < stages_)
      report_.state("stages that ran while an earlier one did: " +
                    std::to_string(stages_ - groups_) + "; each joins the stage before it");
    if (without_peak_ > 0)
      report_.state("applications whose executors have no peak of memory in the log: " +
                    std::to_string(without_peak_) + "; they use none");
  }

  Machines machines_{options_, report_};
  App pending_;                              ///< events before the start of an application
  App* current_ = nullptr;                   ///< of `group_`; nullptr: no event has named it yet
  App* last_ = nullptr;                      ///< the last `current_`
  std::vector<std::unique_ptr<App>> group_;  ///< applications with the id that is being read
  std::set<std::tuple<std::string, std::string, std::int64_t>> starts_;
  std::optional<std::pair<std::int64_t, std::string>> zero_;  ///< time 0 and its application
  std::int64_t without_memory_ = 0, without_cpu_ = 0, gpu_apps_ = 0;
  std::int64_t of_tasks_ = 0, with_peak_ = 0;  ///< applications, and tasks
  // Sums over the applications with executors.
  std::int64_t of_executors_ = 0, executors_ = 0, stages_ = 0, groups_ = 0, tasks_ = 0,
               dynamic_ = 0, drivers_ = 0, without_peak_ = 0;
  double held_s_ = 0, busy_s_ = 0;
  Thousandths most_gpus_;  ///< of a task
};

}  // namespace
}  // namespace spark

const FormatCode formats::spark{&spark::looks_like_spark, &import_with<spark::Reader>,
                                kUsersAndQueues};

}  // namespace heddle::trace
