#include "trace/import/spark.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/collection.h"
#include "trace/import/scaling.h"

namespace heddle::trace::spark {
namespace {

using wire::Json;

constexpr std::int64_t kLatest = 400'000'000'000'000;  ///< milliseconds since 1970
constexpr std::int64_t kLongestTask = static_cast<std::int64_t>(kMostSeconds) * 1000;
constexpr std::size_t kLongestEvent = 16U << 20;  ///< of an event that is parsed
constexpr std::size_t kLongestText = 256;         ///< of ids, users and hosts
constexpr std::size_t kMostPhases = 1000;         ///< of a job, the limit of scenarios
constexpr std::int64_t kMostTasks = 1'000'000;    ///< of a phase
constexpr std::size_t kMostStages = 100'000;      ///< of an application, while it is read
constexpr std::int64_t kMostRuns = 10'000'000;    ///< of an application, while it is read
constexpr std::size_t kMostParents = 10'000;
constexpr std::size_t kMostUses = 1'000'000;  ///< of hosts by executors
constexpr std::int64_t kMostExecutorCores = 10'000;
constexpr std::int64_t kMostTaskCores = 1'000;
constexpr std::int64_t kMostBytes = 1LL << 50;

constexpr Repair kFailed{"task_failed",
                         "an attempt of a task failed: left out, the successful one counts"};
constexpr Repair kKilled{"task_killed",
                         "an attempt of a task was killed: left out, the successful one counts"};
constexpr Repair kResubmitted{
    "task_resubmitted",
    "the output of a task was lost with its executor: the task's first success counts"};
constexpr Repair kAgain{"task_again", "a task succeeded again: the first success counts"};
constexpr Repair kUnfinished{"unfinished",
                             "a stage has fewer successful tasks than it should: only those count"};
constexpr Repair kAttempt{"attempt",
                          "an application was attempted again: left out, the last attempt counts"};
constexpr Repair kNoStart{"no_start",
                          "an application has no start event: it begins with its first stage"};
constexpr Repair kManyStages{"many_stages",
                             "an application has more than 1000 stages: the later one is left out"};

// Reading of JSON. A value of another type or out of range counts as missing. -------------------

const Json* member(const Json* json, const char* key) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto found = json->find(key);
  return found == json->end() ? nullptr : &*found;
}

std::optional<std::int64_t> integer(const Json* json, std::int64_t least, std::int64_t most) {
  if (json == nullptr || !json->is_number()) return std::nullopt;
  const double about = json->get<double>();
  if (!(about >= static_cast<double>(least) && about <= static_cast<double>(most)))
    return std::nullopt;
  const std::int64_t value =
      json->is_number_float() ? std::llround(about) : json->get<std::int64_t>();
  if (value < least || value > most) return std::nullopt;
  return value;
}

std::optional<std::int64_t> time_at(const Json* json, const char* key) {
  return integer(member(json, key), 0, kLatest);
}

std::string text(const Json* json, const char* key) {
  const Json* value = member(json, key);
  if (value == nullptr || !value->is_string()) return "";
  std::string text = value->get_ref<const std::string&>().substr(0, kLongestText);
  return text.substr(0, find_no_text(text));  // the cut can be within a character
}

bool flag(const Json* json, const char* key) {
  const Json* value = member(json, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::optional<std::int64_t> whole_number(std::string_view word, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 1 || value > most)
    return std::nullopt;
  return value;
}

/// Reads a size such as "4g" or "512MB". A number without a unit counts MiB, as in Spark.
std::optional<std::int64_t> memory(std::string_view size) {
  const std::size_t unit_at = std::min(size.find_first_not_of("0123456789"), size.size());
  const auto value = whole_number(size.substr(0, unit_at), kMostBytes);
  std::string unit(size.substr(unit_at));
  for (char& c : unit)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (unit.size() == 2 && unit[0] != 'b' && unit[1] == 'b') unit.pop_back();
  if (unit.empty()) unit = "m";
  constexpr std::string_view kUnits = "bkmgtp";
  const std::size_t power = kUnits.find(unit[0]);
  if (!value || unit.size() != 1 || power == std::string_view::npos) return std::nullopt;
  const std::int64_t factor = 1LL << (10 * power);
  if (*value > kMostBytes / factor) return std::nullopt;
  return *value * factor;
}

// The parts of an application. ---------------------------------------------------------------

/// A successful attempt of a task. Times are in milliseconds.
struct Run {
  int index = 0;
  int host = 0;  ///< number in App::hosts
  std::int64_t launch = 0, length = 0;
  std::int64_t cpu = 0;  ///< core-microseconds
};

struct Stage {
  std::int64_t submit = kLatest;    ///< the first submission; kLatest: unknown
  std::int64_t complete = kLatest;  ///< the first completion without a failure
  std::int64_t failed = -1;         ///< the last completion with a failure
  std::int64_t tasks = 0;           ///< as the stage says
  std::vector<std::int64_t> parents;
  std::vector<Run> runs;
};

/// The use of a host by an executor.
struct Use {
  std::string host;
  std::int64_t cores = 0, from = 0, until = kLatest;
};

struct App {
  std::string id, attempt, user, queue;
  std::optional<std::int64_t> start, end;
  std::int64_t latest = 0;  ///< time of any event
  bool ignored = false;     ///< it was read before
  // The environment.
  std::optional<std::int64_t> executor_cores, executor_memory, driver_memory, task_cores;
  std::optional<std::int64_t> profile_memory, local_cores;
  bool local = false;  ///< the driver runs the tasks
  // The stages and tasks that ran.
  std::map<std::int64_t, Stage> stages;
  std::int64_t runs = 0;
  std::map<std::string, int> hosts;      ///< of tasks
  std::map<std::string, Use> executors;  ///< that are there, by id
  std::vector<Use> uses;                 ///< by executors that were removed

  void saw(std::optional<std::int64_t> at) { latest = std::max(latest, at.value_or(0)); }
};

/// A stage that becomes a phase.
struct Executed {
  std::int64_t id = 0, submit = 0, complete = 0;
  Stage* stage = nullptr;
};

/// The change of the cores and the bytes that executors have on a host.
struct Change {
  std::int64_t at = 0;
  double cores = 0, bytes = 0;
};

/// Returns the name of the event on a line, or "" if the line does not begin with it.
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

bool is_event(std::string_view name) {
  return name.starts_with("SparkListener") || name.starts_with("org.apache.spark.") ||
         name == "DBCEventLoggingListenerMetadata";  // the first event of Databricks
}

bool looks_like_spark(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return is_event(event_of(head));
}

/// Returns the id of an application whose log has none: the name of the file.
std::string id_of(const Input& file) {
  const std::string_view path = file.name();
  const std::size_t slash = path.rfind('/');
  const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  return printable_line(name).substr(0, kLongestText);
}

class Reader {
 public:
  Reader(const ImportOptions& options, JobCollection& jobs, ImportReport& report)
      : options_(options), jobs_(jobs), report_(report) {}

  Imported read(std::vector<Input>& files) {
    for (Input& file : files) {
      input_ = &file;
      if (file.head().empty() && files.size() > 1) continue;  // the status file of a rolling log
      if (!looks_like_spark(file.head()))
        throw BadTrace{file.name() +
                           ": its first line is no event of Spark; expected "
                           "{\"Event\":\"SparkListener…\", …}",
                       true};
      pending_ = App();
      current_ = nullptr;
      while (const auto line = file.line())
        if (line->find_first_not_of(" \t") != std::string_view::npos) read_line(*line);
    }
    finish_group();
    Imported imported;
    imported.scenario = task_frame(options_, files.front().name());
    imported.scenario.cluster.nodes = nodes();
    state();
    return imported;
  }

 private:
  // Events. -----------------------------------------------------------------------------------

  void read_line(std::string_view line) {
    ++report_.rows;
    const std::string_view known = event_of(line);
    if (!known.empty() && handler(known) == nullptr) return;
    if (line.size() > kLongestEvent) return report_.repaired(kUnreadable, *input_);
    const Json event = wire::parse_json(line);
    if (!event.is_object()) return report_.repaired(kUnreadable, *input_);
    const std::string name = text(&event, "Event");
    if (name.empty()) return report_.repaired(kUnreadable, *input_);
    if (const Handler handle = handler(name)) (this->*handle)(event);
  }

  using Handler = void (Reader::*)(const Json&);

  /// Returns what reads the event; nullptr if nothing needs it.
  static Handler handler(std::string_view name) {
    if (name == "SparkListenerTaskEnd") return &Reader::task_end;
    if (name == "SparkListenerStageSubmitted" || name == "SparkListenerStageCompleted")
      return &Reader::stage;
    if (name == "SparkListenerLogStart") return &Reader::log_start;
    if (name == "SparkListenerApplicationStart") return &Reader::start;
    if (name == "SparkListenerApplicationEnd") return &Reader::end;
    if (name == "SparkListenerExecutorAdded") return &Reader::executor_added;
    if (name == "SparkListenerExecutorRemoved") return &Reader::executor_removed;
    if (name == "SparkListenerEnvironmentUpdate") return &Reader::environment;
    if (name == "SparkListenerResourceProfileAdded") return &Reader::profile;
    return nullptr;
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
    report_.repaired(kNoStart, *input_);
    if (pending_.id.empty()) pending_.id = id_of(*input_);
    return add_pending();
  }

  /// Adds what came before the start to an application that is known.
  void merge(App& app) {
    for (auto setting : {&App::executor_cores, &App::executor_memory, &App::driver_memory,
                         &App::task_cores, &App::profile_memory, &App::local_cores})
      if (!(app.*setting)) app.*setting = pending_.*setting;
    app.local |= pending_.local;
    for (auto& [id, use] : pending_.executors) app.executors.emplace(id, use);
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
    const std::string id = text(&event, "App ID"), attempt = text(&event, "App Attempt ID");
    const auto at = time_at(&event, "Timestamp");
    if (!at) return report_.repaired(kUnreadable, *input_);
    pending_.id = id.empty() ? id_of(*input_) : id;
    for (const auto& app : group_) {
      if (app->id != pending_.id || app->attempt != attempt || app->start != at) continue;
      report_.repaired(kDuplicate, *input_);
      merge(*app);
      current_ = last_ = app.get();
      return;
    }
    if (!starts_.insert({pending_.id, attempt, *at}).second) {
      report_.repaired(kDuplicate, *input_);
      pending_.ignored = true;
    }
    pending_.attempt = attempt;
    pending_.start = at;
    pending_.user = text(&event, "User");
    if (!zero_) {
      zero_ = at;
      zero_id_ = pending_.id;
    }
    add_pending();
  }

  void end(const Json& event) {
    App& app = near();
    const auto at = time_at(&event, "Timestamp");
    if (at) app.end = std::max(app.end.value_or(0), *at);
    app.saw(at);
    pending_ = App();
    current_ = nullptr;
  }

  void environment(const Json& event) {
    App& app = near();
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

  /// Reads "local[4]", "local[4,1]" or "local-cluster[2,4,1024]".
  static void read_master(App& app, std::string_view master) {
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

  void profile(const Json& event) {
    App& app = near();
    const Json* requests = member(&event, "Executor Resource Requests");
    const Json* amount = member(member(requests, "memory"), "Amount");
    if (const auto mib = integer(amount, 1, kMostBytes >> 20); mib && !app.profile_memory)
      app.profile_memory = *mib << 20;
  }

  void executor_added(const Json& event) {
    App& app = near();
    const Json* info = member(&event, "Executor Info");
    const auto at = time_at(&event, "Timestamp");
    const auto cores = integer(member(info, "Total Cores"), 1, kMostExecutorCores);
    const std::string id = text(&event, "Executor ID");
    Use use{text(info, "Host"), cores.value_or(0), at.value_or(0)};
    if (!at || !cores || use.host.empty()) return report_.repaired(kUnreadable, *input_);
    app.saw(at);
    app.executors.emplace(id, std::move(use));
  }

  void executor_removed(const Json& event) {
    App& app = near();
    const auto at = time_at(&event, "Timestamp");
    if (!at) return report_.repaired(kUnreadable, *input_);
    app.saw(at);
    const auto found = app.executors.find(text(&event, "Executor ID"));
    if (found == app.executors.end()) return;
    found->second.until = std::max(found->second.from, *at);
    if (app.uses.size() < kMostUses) app.uses.push_back(found->second);
    app.executors.erase(found);
  }

  Stage* stage_of(App& app, const Json* id) {
    const auto number = integer(id, 0, std::numeric_limits<std::int32_t>::max());
    if (!number || (app.stages.size() >= kMostStages && !app.stages.contains(*number))) {
      report_.repaired(kUnreadable, *input_);
      return nullptr;
    }
    return &app.stages[*number];
  }

  void stage(const Json& event) {
    App& app = running();
    const Json* info = member(&event, "Stage Info");
    Stage* stage = stage_of(app, member(info, "Stage ID"));
    if (stage == nullptr) return;
    const auto submit = time_at(info, "Submission Time"),
               complete = time_at(info, "Completion Time");
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

  void task_end(const Json& event) {
    App& app = running();
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
  std::int64_t cpu_of(const Json& event) {
    const Json* metrics = member(&event, "Task Metrics");
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
    if (const auto nanoseconds = integer(member(metrics, "Executor CPU Time"), 0, kMost))
      return *nanoseconds / 1000;
    ++without_cpu_;
    return integer(member(metrics, "Executor Run Time"), 0, kLongestTask).value_or(0) * 1000;
  }

  // Jobs. -------------------------------------------------------------------------------------

  /// Makes jobs of the applications that have the same id. There are several if an application was
  /// attempted again.
  void finish_group() {
    const App* latest = nullptr;
    for (const auto& app : group_)
      if (app->runs > 0 && (latest == nullptr || app->start >= latest->start)) latest = app.get();
    for (const auto& app : group_) {
      if (app->ignored) continue;
      close_executors(*app);
      if (latest != nullptr && app->attempt != latest->attempt)
        report_.repaired(kAttempt, "application " + app->id + ", attempt " + app->attempt);
      else
        finish(*app);
    }
    group_.clear();
    current_ = last_ = nullptr;
  }

  void close_executors(App& app) {
    const std::int64_t end = std::max(app.end.value_or(0), app.latest);
    for (auto& [id, use] : app.executors) {
      use.until = std::max(use.from, end);
      app.uses.push_back(std::move(use));
    }
    if (app.uses.empty()) uses_of_tasks(app);
    const auto core_memory = static_cast<double>(memory_per_core(app));
    for (const Use& use : app.uses) {
      if (uses_ >= kMostUses ||
          (machines_.size() >= kMostImportedNodes && !machines_.contains(use.host)))
        break;
      ++uses_;
      const auto cores = static_cast<double>(use.cores);
      const double bytes = cores * core_memory;
      auto& [number, changes] =
          machines_.try_emplace(use.host, machines_.size(), std::vector<Change>()).first->second;
      changes.push_back({use.from, cores, bytes});
      changes.push_back({std::max(use.until, use.from + 1), -cores, -bytes});
    }
  }

  /// Old logs have no executors. Their hosts have as many cores as tasks ran there at once.
  void uses_of_tasks(App& app) {
    std::vector<std::string> names(app.hosts.size());
    for (const auto& [name, number] : app.hosts) names[static_cast<std::size_t>(number)] = name;
    std::vector<std::vector<std::pair<std::int64_t, int>>> changes(names.size());
    for (const auto& [id, stage] : app.stages)
      for (const Run& run : stage.runs) {
        auto& of = changes[static_cast<std::size_t>(run.host)];
        of.emplace_back(run.launch, 1);
        of.emplace_back(run.launch + std::max<std::int64_t>(run.length, 1), -1);
      }
    for (std::size_t host = 0; host < names.size(); ++host) {
      if (names[host].empty()) continue;
      std::ranges::sort(changes[host]);
      std::int64_t at_once = 0, most = 1;
      for (const auto& [at, change] : changes[host]) most = std::max(most, at_once += change);
      most = std::min(most * app.task_cores.value_or(1), kMostExecutorCores);
      if (app.local) most = std::max(most, app.local_cores.value_or(0));
      app.uses.push_back({names[host], most, changes[host].front().first,
                          std::max(app.end.value_or(0), app.latest)});
      ++guessed_hosts_;
    }
  }

  static bool known_memory(const App& app) { return bytes_of_executor(app).has_value(); }
  static std::optional<std::int64_t> bytes_of_executor(const App& app) {
    if (app.local && (app.executors.contains("driver") || app.executors.empty()))
      return app.driver_memory;
    return app.executor_memory ? app.executor_memory : app.profile_memory;
  }

  /// Returns the memory that an executor has for each of its cores.
  std::int64_t memory_per_core(const App& app) const {
    std::int64_t cores = app.executor_cores.value_or(0);
    if (app.local) cores = std::max(cores, app.local_cores.value_or(0));
    if (!app.executor_cores || app.local) {
      for (const auto& [id, use] : app.executors) cores = std::max(cores, use.cores);
      for (const Use& use : app.uses) cores = std::max(cores, use.cores);
    }
    const auto bytes = bytes_of_executor(app);
    if (!bytes || cores == 0) return options_.memory_per_core.count();
    return std::max<std::int64_t>(*bytes / cores, 1);
  }

  /// Keeps the first success of each task.
  void keep_first_runs(std::int64_t id, Stage& stage) {
    std::ranges::sort(stage.runs, {}, [](const Run& run) {
      return std::tuple(run.index, run.launch + run.length, run.launch);
    });
    const auto again = std::unique(stage.runs.begin(), stage.runs.end(),
                                   [](const Run& a, const Run& b) { return a.index == b.index; });
    for (auto run = again; run != stage.runs.end(); ++run)
      report_.repaired(kAgain, "stage " + std::to_string(id));
    stage.runs.erase(again, stage.runs.end());
    if (std::ssize(stage.runs) < stage.tasks)
      report_.repaired(kUnfinished, "stage " + std::to_string(id));
  }

  /// Returns the stages of an application that ran, in the order of their submissions.
  std::vector<Executed> executed(App& app) {
    std::vector<Executed> all;
    for (auto& [id, stage] : app.stages) {
      if (stage.runs.empty()) {
        if (stage.tasks > 0) report_.repaired(kNoTask, "stage " + std::to_string(id));
        continue;
      }
      keep_first_runs(id, stage);
      std::int64_t first = kLatest, last = 0;
      for (const Run& run : stage.runs) {
        first = std::min(first, run.launch);
        last = std::max(last, run.launch + run.length);
      }
      Executed one{id, stage.submit, stage.complete, &stage};
      if (one.submit == kLatest) one.submit = first;
      if (one.complete == kLatest) one.complete = stage.failed >= 0 ? stage.failed : last;
      one.complete = std::max(one.complete, one.submit);
      all.push_back(one);
    }
    std::ranges::sort(
        all, {}, [](const Executed& one) { return std::tuple(one.submit, one.complete, one.id); });
    while (all.size() > kMostPhases) {
      report_.repaired(kManyStages, "stage " + std::to_string(all.back().id));
      all.pop_back();
    }
    return all;
  }

  void finish(App& app) {
    std::vector<Executed> stages = executed(app);
    if (stages.empty()) return report_.repaired(kNoTask, "application " + app.id);
    const std::int64_t start = app.start.value_or(stages.front().submit);
    if (!zero_) {
      zero_ = start;
      zero_id_ = app.id;
    }
    const EmuTime submit((start - *zero_) * 1000);
    if (!jobs_.takes(app.id, submit, app.user, app.queue)) return;
    JobSpec job;
    job.submit = submit;
    const std::int64_t cores = app.task_cores.value_or(1);
    // memory_per_core() is at most kMostBytes, and cores at most kMostTaskCores.
    const Resources request{Millicores(cores * 1000),
                            EmuBytes(std::min(memory_per_core(app) * cores, kMostBytes))};
    without_memory_ += !known_memory(app);
    for (std::size_t i = 0; i < stages.size(); ++i) {
      PhaseSpec& phase = job.phases.emplace_back();
      phase.name = "stage-" + std::to_string(stages[i].id);
      phase.request = request;
      phase.after = after(stages, i);
      set_tasks(phase, stages[i].stage->runs, cores);
    }
    jobs_.add(app.id, app.user, app.queue, std::move(job));
  }

  /// Returns the stages that must be complete before a stage: its parents, and the stages that
  /// were complete when it was submitted. Of the latter, `latest` is the one that was submitted
  /// last, so it comes after each one that was complete by then.
  std::vector<int> after(const std::vector<Executed>& stages, std::size_t of) {
    const Executed& own = stages[of];
    std::vector<std::int64_t>& parents = own.stage->parents;
    std::ranges::sort(parents);
    std::optional<std::size_t> latest;
    for (std::size_t i = of; i-- > 0 && !latest;)
      if (stages[i].complete <= own.submit) latest = i;
    std::vector<int> after;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const bool parent = std::ranges::binary_search(parents, stages[i].id);
      if (i >= of) {
        if (parent) report_.repaired(kNoDependency, "stage " + std::to_string(own.id));
        continue;
      }
      const bool follows = latest && stages[i].complete <= own.submit &&
                           (i == *latest || stages[i].complete > stages[*latest].submit);
      if (parent || follows) after.push_back(static_cast<int>(i));
    }
    return after;
  }

  void set_tasks(PhaseSpec& phase, const std::vector<Run>& runs, std::int64_t cores) {
    phase.tasks = static_cast<int>(runs.size());
    const auto work_of = [&](const Run& run) {
      TaskSpec task;
      const auto time = static_cast<double>(std::max<std::int64_t>(run.length * 1000, 1));
      const auto threads = static_cast<double>(cores);
      task.cpu.mean = std::min(static_cast<double>(run.cpu), time * threads);
      task.sleep.mean = std::round(time - task.cpu.mean / threads);
      return task;
    };
    const bool equal = std::ranges::all_of(runs, [&](const Run& run) {
      return run.length == runs.front().length && run.cpu == runs.front().cpu;
    });
    if (equal) {
      static_cast<TaskSpec&>(phase) = work_of(runs.front());
      return;
    }
    for (const Run& run : runs) phase.each.push_back(work_of(run));
  }

  // Machines. ---------------------------------------------------------------------------------

  std::vector<NodeSpec> nodes() {
    std::vector<std::pair<std::string, Resources>> machines(machines_.size());
    Resources largest;
    for (auto& [host, machine] : machines_) {
      auto& [number, changes] = machine;
      // At the same time, executors go before others come.
      std::ranges::sort(changes, {}, [](const Change& c) { return std::pair(c.at, c.cores); });
      double cores = 0, bytes = 0, most_cores = 0, most_bytes = 0;
      for (const Change& change : changes) {
        most_cores = std::max(most_cores, cores += change.cores);
        most_bytes = std::max(most_bytes, bytes += change.bytes);
      }
      const double most = static_cast<double>(kMostExecutorCores);
      const Resources size{
          options_.cores.value_or(Millicores(1000 * std::llround(std::min(most_cores, most)))),
          options_.memory.value_or(
              EmuBytes(std::llround(std::min(most_bytes, static_cast<double>(kMostBytes)))))};
      machines[number] = {host, size};
      largest.cores = std::max(largest.cores, size.cores);
      largest.memory = std::max(largest.memory, size.memory);
    }
    const bool none = machines.empty();
    if (none)
      largest = {options_.cores.value_or(Millicores(1000)),
                 options_.memory.value_or(options_.memory_per_core)};
    std::vector<NodeSpec> nodes(machines.size());
    if (options_.nodes || none) {
      nodes = equal_nodes(options_.nodes.value_or(1), largest);
    } else {
      Names names("host", report_);
      for (std::size_t i = 0; i < machines.size(); ++i) {
        nodes[i].name = names.of(machines[i].first);
        nodes[i].capacity = nodes[i].allowance = machines[i].second;
      }
    }
    report_.state("cluster: number of nodes: " + std::to_string(nodes.size()) +
                  ", the largest with " + print_cores(largest.cores) + " cores and " +
                  print_bytes(largest.memory) +
                  (none             ? ", because the log names no host"
                   : options_.nodes ? ", like the largest host"
                                    : ", from the hosts of the executors") +
                  " (--nodes, --cores, --memory)");
    if (guessed_hosts_ > 0)
      report_.state("hosts without executors in the log: " + std::to_string(guessed_hosts_) +
                    "; each has as many cores as tasks ran there at the same time");
    return nodes;
  }

  void state() {
    if (zero_) report_.state("time 0 of the trace is the start of application " + zero_id_);
    report_.state(
        "a stage starts after its parents and after the stages that were complete when it was "
        "submitted; the time of the driver between stages is left out");
    if (options_.work == ImportOptions::Work::kSleep)
      report_.state(
          "tasks sleep from their launch to their finish (--work cpu: they compute for "
          "their CPU time)");
    if (without_cpu_ > 0)
      report_.state("tasks without a CPU time: " + std::to_string(without_cpu_) +
                    "; they compute for their run time");
    if (without_memory_ > 0)
      report_.state("applications without a memory of executors: " +
                    std::to_string(without_memory_) + "; their tasks request " +
                    print_bytes(options_.memory_per_core) + " per core (--memory-per-core)");
  }

  const ImportOptions& options_;
  JobCollection& jobs_;
  ImportReport& report_;
  Input* input_ = nullptr;
  App pending_;                              ///< events before the start of an application
  App* current_ = nullptr;                   ///< of `group_`; nullptr: no event has named it yet
  App* last_ = nullptr;                      ///< the last `current_`
  std::vector<std::unique_ptr<App>> group_;  ///< applications with the id that is being read
  std::set<std::tuple<std::string, std::string, std::int64_t>> starts_;
  std::optional<std::int64_t> zero_;
  std::string zero_id_;
  /// Number of each host in the order of the log, and what executors had there.
  std::map<std::string, std::pair<std::size_t, std::vector<Change>>> machines_;
  std::size_t uses_ = 0;
  std::int64_t without_memory_ = 0, without_cpu_ = 0, guessed_hosts_ = 0;
};

}  // namespace
}  // namespace heddle::trace::spark

namespace heddle::trace {

Imported import_spark(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                      ImportReport& report) {
  return spark::Reader(options, jobs, report).read(files);
}

bool is_spark(std::string_view head) { return spark::looks_like_spark(head); }

}  // namespace heddle::trace
