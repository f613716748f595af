#include "trace/import/spark_events.h"

#include <algorithm>
#include <limits>

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
    app.local_cores = whole_number(rest.substr(0, rest.find(',')), kMostExecutorCores);
  } else if (const std::size_t last = rest.rfind(',');
             last != std::string_view::npos && !app.executor_memory) {
    app.executor_memory = memory(rest.substr(last + 1));
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
  const Json* properties = member(&event, "Spark Properties");
  const auto set = [](std::optional<std::int64_t>& to, std::optional<std::int64_t> value) {
    if (value) to = value;
  };
  const auto of = [&](const char* key) { return text(properties, key); };
  set(app.executor_cores, whole_number(of("spark.executor.cores"), kMostExecutorCores));
  set(app.task_cores, whole_number(of("spark.task.cpus"), kMostTaskCores));
  set(app.executor_memory, memory(of("spark.executor.memory")));
  set(app.driver_memory, memory(of("spark.driver.memory")));
  if (const std::string queue = of("spark.yarn.queue"); !queue.empty()) app.queue = queue;
  if (const std::string id = of("spark.app.id"); !id.empty() && app.id.empty()) app.id = id;
  read_master(app, of("spark.master"));
}

void Events::profile(App& app, const Json& event) {
  const Json* requests = member(&event, "Executor Resource Requests");
  const Json* amount = member(member(requests, "memory"), "Amount");
  if (const auto mib = integer(amount, 1, kMostBytes >> 20); mib && !app.profile_memory)
    app.profile_memory = *mib << 20;
}

void Events::executor_added(App& app, const Json& event) {
  const Json* info = member(&event, "Executor Info");
  const auto at = time_at(&event, "Timestamp");
  const auto cores = integer(member(info, "Total Cores"), 1, kMostExecutorCores);
  const std::string id = text(&event, "Executor ID");
  Use use{text(info, "Host"), cores.value_or(0), at.value_or(0)};
  if (!at || !cores || use.host.empty()) return report_.repaired(kUnreadable, *input_);
  app.saw(at);
  app.executors.emplace(id, std::move(use));
}

void Events::executor_removed(App& app, const Json& event) {
  const auto at = time_at(&event, "Timestamp");
  if (!at) return report_.repaired(kUnreadable, *input_);
  app.saw(at);
  const auto found = app.executors.find(text(&event, "Executor ID"));
  if (found == app.executors.end()) return;
  found->second.until = std::max(found->second.from, *at);
  if (app.uses.size() < kMostUses) app.uses.push_back(found->second);
  app.executors.erase(found);
}

Stage* Events::stage_of(App& app, const Json* id) {
  const auto number = integer(id, 0, std::numeric_limits<std::int32_t>::max());
  if (!number || (app.stages.size() >= kMostStages && !app.stages.contains(*number))) {
    report_.repaired(kUnreadable, *input_);
    return nullptr;
  }
  return &app.stages[*number];
}

void Events::stage(App& app, const Json& event) {
  const Json* info = member(&event, "Stage Info");
  Stage* stage = stage_of(app, member(info, "Stage ID"));
  if (stage == nullptr) return;
  const auto submit = time_at(info, "Submission Time"), complete = time_at(info, "Completion Time");
  app.saw(submit);
  app.saw(complete);
  if (submit) stage->submit = std::min(stage->submit, *submit);
  if (complete && member(info, "Failure Reason") != nullptr)
    stage->failed = std::max(stage->failed, *complete);
  else if (complete)
    stage->complete = std::min(stage->complete, *complete);
  // Later attempts have only the tasks that must run again.
  stage->tasks =
      std::max(stage->tasks, integer(member(info, "Number of Tasks"), 0, kMostTasks).value_or(0));
  const Json* parents = member(info, "Parent IDs");
  if (parents == nullptr || !parents->is_array() || !stage->parents.empty()) return;
  for (const Json& parent : *parents)
    if (const auto id = integer(&parent, 0, std::numeric_limits<std::int32_t>::max());
        id && stage->parents.size() < kMostParents)
      stage->parents.push_back(*id);
}

void Events::task_end(App& app, const Json& event) {
  const Json* info = member(&event, "Task Info");
  const std::string reason = text(member(&event, "Task End Reason"), "Reason");
  if (reason == "Resubmitted") return report_.repaired(kResubmitted, *input_);
  if (flag(info, "Killed") || reason == "TaskKilled") return report_.repaired(kKilled, *input_);
  if (flag(info, "Failed") || (!reason.empty() && reason != "Success"))
    return report_.repaired(kFailed, *input_);
  const auto launch = time_at(info, "Launch Time"), finish = time_at(info, "Finish Time");
  const auto index = integer(member(info, "Index"), 0, kMostTasks - 1);
  if (!launch || !finish || !index || app.runs >= kMostRuns)
    return report_.repaired(kUnreadable, *input_);
  if (*finish < *launch) return report_.repaired(kEndsBefore, *input_);
  if (*finish - *launch > kLongestTask) return report_.repaired(kUnreadable, *input_);
  Stage* stage = stage_of(app, member(&event, "Stage ID"));
  if (stage == nullptr) return;
  if (*finish == *launch) report_.repaired(kZeroTime, *input_);
  const auto next = static_cast<int>(app.hosts.size());
  const int host = app.hosts.emplace(text(info, "Host"), next).first->second;
  Run run{static_cast<int>(*index), host, *launch, *finish - *launch};
  if (options_.work == ImportOptions::Work::kCpu) run.cpu = cpu_of(event);
  stage->runs.push_back(run);
  ++app.runs;
  app.saw(finish);
}

/// Returns the core-microseconds of a task.
std::int64_t Events::cpu_of(const Json& event) {
  const Json* metrics = member(&event, "Task Metrics");
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  if (const auto nanoseconds = integer(member(metrics, "Executor CPU Time"), 0, kMost))
    return *nanoseconds / 1000;
  ++without_cpu_;
  return integer(member(metrics, "Executor Run Time"), 0, kLongestTask).value_or(0) * 1000;
}

}  // namespace heddle::trace::spark
