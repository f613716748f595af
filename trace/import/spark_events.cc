#include "trace/import/spark_events.h"

#include <limits>

#include "common/number.h"

namespace heddle::trace::spark {
namespace {

constexpr std::int64_t kLongestTask = static_cast<std::int64_t>(kMostSeconds) * 1000;
constexpr std::int64_t kMostTasks = 1'000'000;  ///< of a phase
constexpr std::size_t kMostStages = 100'000;    ///< of an application, while it is read
constexpr std::int64_t kMostRuns = 10'000'000;  ///< of an application, while it is read
constexpr std::size_t kMostParents = 10'000;
constexpr std::size_t kMostUses = 1'000'000;  ///< of hosts by executors

constexpr Repair kFailed{"task_failed",
                         "an attempt of a task failed: left out, the successful one counts"};
constexpr Repair kKilled{"task_killed",
                         "an attempt of a task was killed: left out, the successful one counts"};
constexpr Repair kResubmitted{
    "task_resubmitted",
    "the output of a task was lost with its executor: the task's first success counts"};

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
/// A property that is a number of cores.
constexpr Rule cores(std::int64_t most) {
  return {.least = 1, .most = static_cast<double>(most), .whole = true};
}
constexpr Rule kStageId = integer(0, std::numeric_limits<std::int32_t>::max());
using Integer = std::optional<std::int64_t>;

struct Environment {
  Integer executor_cores, task_cores, executor_memory, driver_memory;
  std::string queue, id, master;
};
constexpr Column<Environment> kEnvironment[] = {
    column<&Environment::executor_cores>("Spark Properties/spark.executor.cores",
                                         cores(kMostExecutorCores)),
    column<&Environment::task_cores>("Spark Properties/spark.task.cpus", cores(kMostTaskCores)),
    column<&Environment::executor_memory>("Spark Properties/spark.executor.memory", kBytes),
    column<&Environment::driver_memory>("Spark Properties/spark.driver.memory", kBytes),
    column<&Environment::queue>("Spark Properties/spark.yarn.queue", kWord),
    column<&Environment::id>("Spark Properties/spark.app.id", kWord),
    column<&Environment::master>("Spark Properties/spark.master", kWord)};

struct Profile {
  Integer mib;
};
constexpr Column<Profile> kProfile[] = {column<&Profile::mib>(
    "Executor Resource Requests/memory/Amount", integer(1, kMostBytes >> 20))};

struct Executor {
  std::string id, host;
  Integer cores, at;
};
constexpr Column<Executor> kExecutor[] = {
    column<&Executor::id>("Executor ID", kWord),
    column<&Executor::host>("Executor Info/Host", kWord),
    column<&Executor::cores>("Executor Info/Total Cores", integer(1, kMostExecutorCores)),
    column<&Executor::at>("Timestamp", kTime)};

struct StageInfo {
  Integer id, submit, complete, tasks;
};
constexpr Column<StageInfo> kStage[] = {
    column<&StageInfo::id>("Stage Info/Stage ID", kStageId),
    column<&StageInfo::submit>("Stage Info/Submission Time", kTime),
    column<&StageInfo::complete>("Stage Info/Completion Time", kTime),
    column<&StageInfo::tasks>("Stage Info/Number of Tasks", integer(0, kMostTasks))};

struct TaskEnd {
  std::string reason, host;
  bool killed = false, failed = false;
  Integer launch, finish, index, stage, cpu, run;
};
constexpr Column<TaskEnd> kTask[] = {
    column<&TaskEnd::reason>("Task End Reason/Reason", kWord),
    column<&TaskEnd::killed>("Task Info/Killed"),
    column<&TaskEnd::failed>("Task Info/Failed"),
    column<&TaskEnd::launch>("Task Info/Launch Time", kTime),
    column<&TaskEnd::finish>("Task Info/Finish Time", kTime),
    column<&TaskEnd::index>("Task Info/Index", integer(0, kMostTasks - 1)),
    column<&TaskEnd::host>("Task Info/Host", kWord),
    column<&TaskEnd::stage>("Stage ID", kStageId),
    column<&TaskEnd::cpu>("Task Metrics/Executor CPU Time",
                          integer(0, std::numeric_limits<std::int64_t>::max() / 2)),
    column<&TaskEnd::run>("Task Metrics/Executor Run Time", integer(0, kLongestTask))};

bool is_event(std::string_view name) {
  return name.starts_with("SparkListener") || name.starts_with("org.apache.spark.") ||
         name == "DBCEventLoggingListenerMetadata";  // the first event of Databricks
}

/// Reads "local[4]", "local[4,1]" or "local-cluster[2,4,1024]".
void read_master(App& app, std::string_view master) {
  const std::size_t open = std::min(master.find('['), master.size());
  const std::string_view kind = master.substr(0, open);
  if (kind != "local" && kind != "local-cluster") return;
  if (kind == "local") app.local = true;
  std::string_view rest = master.substr(open);
  if (rest.empty() || !rest.ends_with(']')) return;
  rest = rest.substr(1, rest.size() - 2);
  if (kind == "local") {
    app.local_cores = read_number<std::int64_t>(rest.substr(0, rest.find(',')));
    if (app.local_cores < 1 || app.local_cores > kMostExecutorCores) app.local_cores.reset();
  } else if (const std::size_t last = rest.rfind(',');
             last != std::string_view::npos && !app.executor_memory) {
    if (const auto bytes = read_memory(rest.substr(last + 1)))
      app.executor_memory = static_cast<std::int64_t>(*bytes);
  }
}

}  // namespace

std::string_view event_of(std::string_view line) {
  const auto skip = [&](std::string_view word) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip("{") || !skip("\"Event\"") || !skip(":") || !skip("\"")) return "";
  return line.substr(0, std::min(line.find('"'), line.size()));
}

bool looks_like_spark(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return is_event(event_of(head));
}

Events::Kind Events::kind_of(std::string_view name) {
  if (name == "SparkListenerTaskEnd") return {&Events::task_end};
  if (name == "SparkListenerStageSubmitted" || name == "SparkListenerStageCompleted")
    return {&Events::stage};
  if (name == "SparkListenerExecutorAdded") return {&Events::executor_added, true};
  if (name == "SparkListenerExecutorRemoved") return {&Events::executor_removed, true};
  if (name == "SparkListenerEnvironmentUpdate") return {&Events::environment, true};
  if (name == "SparkListenerResourceProfileAdded") return {&Events::profile, true};
  return {};
}

void Events::environment(App& app, const Json& event) {
  const Environment set = *read_json(event, kEnvironment, judge_);
  if (set.executor_cores) app.executor_cores = set.executor_cores;
  if (set.task_cores) app.task_cores = set.task_cores;
  if (set.executor_memory) app.executor_memory = set.executor_memory;
  if (set.driver_memory) app.driver_memory = set.driver_memory;
  if (!set.queue.empty()) app.queue = set.queue;
  if (app.id.empty()) app.id = set.id;
  read_master(app, set.master);
}

void Events::profile(App& app, const Json& event) {
  const Profile profile = *read_json(event, kProfile, judge_);
  if (profile.mib && !app.profile_memory) app.profile_memory = *profile.mib << 20;
}

void Events::executor_added(App& app, const Json& event) {
  const Executor added = *read_json(event, kExecutor, judge_);
  if (!added.at || !added.cores || added.host.empty()) return judge_.repaired(kUnreadable);
  app.saw(added.at);
  app.executors.emplace(added.id, Use{added.host, *added.cores, *added.at});
}

void Events::executor_removed(App& app, const Json& event) {
  const Executor removed = *read_json(event, kExecutor, judge_);
  if (!removed.at) return judge_.repaired(kUnreadable);
  app.saw(removed.at);
  const auto found = app.executors.find(removed.id);
  if (found == app.executors.end()) return;
  found->second.until = std::max(found->second.from, *removed.at);
  if (app.uses.size() < kMostUses) app.uses.push_back(found->second);
  app.executors.erase(found);
}

Stage* Events::stage_of(App& app, std::optional<std::int64_t> id) {
  if (id && (app.stages.size() < kMostStages || app.stages.contains(*id))) return &app.stages[*id];
  judge_.repaired(kUnreadable);
  return nullptr;
}

void Events::stage(App& app, const Json& event) {
  const StageInfo info = *read_json(event, kStage, judge_);
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
    if (parent.is_number() && parent >= 0 && parent <= std::numeric_limits<std::int32_t>::max() &&
        stage->parents.size() < kMostParents)
      stage->parents.push_back(std::llround(parent.get<double>()));
}

void Events::task_end(App& app, const Json& event) {
  const TaskEnd task = *read_json(event, kTask, judge_);
  if (task.reason == "Resubmitted") return judge_.repaired(kResubmitted);
  if (task.killed || task.reason == "TaskKilled") return judge_.repaired(kKilled);
  if (task.failed || (!task.reason.empty() && task.reason != "Success"))
    return judge_.repaired(kFailed);
  if (!task.launch || !task.finish || !task.index || app.runs >= kMostRuns)
    return judge_.repaired(kUnreadable);
  const std::int64_t length = *task.finish - *task.launch;
  if (length < 0) return judge_.repaired(kEndsBefore);
  if (length > kLongestTask) return judge_.repaired(kUnreadable);
  Stage* stage = stage_of(app, task.stage);
  if (stage == nullptr) return;
  if (length == 0) judge_.repaired(kZeroTime);
  const auto next = static_cast<int>(app.hosts.size());
  const int host = app.hosts.emplace(task.host, next).first->second;
  Run run{static_cast<int>(*task.index), host, *task.launch, length};
  if (options_.work == ImportOptions::Work::kCpu) {
    // Nanoseconds or milliseconds become core-microseconds.
    run.cpu = task.cpu ? *task.cpu / 1000 : task.run.value_or(0) * 1000;
    without_cpu_ += !task.cpu;
  }
  stage->runs.push_back(run);
  ++app.runs;
  app.saw(task.finish);
}

}  // namespace heddle::trace::spark
