// Reads event logs of Apache Spark (spark.eventLog.enabled), a JSON event on each line. The field
// names are those of Spark's JsonProtocol. Each application becomes a job. Files of a rolling log
// can follow each other: a file without a start event continues the application before it.
//
// Each stage that ran is a phase. Its tasks are the first successful attempts of the stage's
// tasks, which take from their launch to their finish. A phase comes after its parents and after
// the stages that were complete when it was submitted, without those that others imply.
//
// The machines are the hosts of executors, with the most cores that executors had there at the
// same time.

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "common/text.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/spark_events.h"
#include "trace/import/spark_jobs.h"
#include "trace/import/spark_machines.h"

namespace heddle::trace {
namespace spark {
namespace {

constexpr std::size_t kLongestEvent = 16U << 20;  ///< of an event that is parsed

constexpr Repair kSameLog{"same_log",
                          "begins like another log of the same application: their events were "
                          "merged"};
constexpr Repair kAttempt{"attempt",
                          "an application was attempted again: left out, the last attempt counts"};
constexpr Repair kNoStart{"no_start",
                          "an application has no start event: it begins with its first stage"};

/// Returns the id of an application whose log has none: the name of the file.
std::string id_of(const Input& file) {
  const std::string_view path = file.name();
  const std::size_t slash = path.rfind('/');
  const std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  return printable_line(name).substr(0, 256);
}

struct Bound {
  std::string id, attempt, user;
  std::optional<std::int64_t> at;
};
/// Columns of the events at which an application starts or ends.
constexpr Column<Bound> kBound[] = {
    column<&Bound::id>("App ID", kWord), column<&Bound::attempt>("App Attempt ID", kWord),
    column<&Bound::user>("User", kWord), column<&Bound::at>("Timestamp", kTime)};

class Reader : public Importer {
 public:
  Reader(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
         ImportReport& report)
      : Importer(files, options, jobs, report),
        events_(options, judge_),
        machines_(options, report) {}

  Imported read() {
    for (Input& file : files_) {
      input_ = &file;
      if (file.head().empty() && files_.size() > 1) continue;  // the status file of a rolling log
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
    Imported imported = made(&task_frame, machines_.nodes());
    state();
    return imported;
  }

 private:
  // Events. -----------------------------------------------------------------------------------

  void read_line(std::string_view line) {
    ++report_.rows;
    const std::string_view known = event_of(line);
    if (!known.empty() && !is_needed(known)) return;
    if (line.size() > kLongestEvent) return repaired(kUnreadable);
    judge_.begin(*input_);
    const Json event = wire::parse_json(line);
    if (!event.is_object()) return repaired(kUnreadable);
    const Json* named = find(event, "Event");
    if (named == nullptr || !named->is_string()) return repaired(kUnreadable);
    const std::string& name = named->get_ref<const std::string&>();
    if (const Handler handle = handler(name)) return (this->*handle)(event);
    if (const Events::Kind kind = Events::kind_of(name); kind.apply != nullptr)
      events_.add(kind, kind.before_start ? near() : running(), event);
  }

  using Handler = void (Reader::*)(const Json&);

  /// Returns what reads an event at which an application begins or ends; nullptr for others.
  static Handler handler(std::string_view name) {
    if (name == "SparkListenerLogStart") return &Reader::log_start;
    if (name == "SparkListenerApplicationStart") return &Reader::start;
    if (name == "SparkListenerApplicationEnd") return &Reader::end;
    return nullptr;
  }

  static bool is_needed(std::string_view name) {
    return handler(name) != nullptr || Events::kind_of(name).apply != nullptr;
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
    const auto [id, attempt, user, at] = *read_json(event, kBound);
    if (!at) return repaired(kUnreadable);
    pending_.id = id.empty() ? id_of(*input_) : id;
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
    if (!zero_) {
      zero_ = at;
      zero_id_ = pending_.id;
    }
    add_pending();
  }

  void end(const Json& event) {
    App& app = near();
    const auto at = read_json(event, kBound)->at;
    if (at) app.end = std::max(app.end.value_or(0), *at);
    app.saw(at);
    pending_ = App();
    current_ = nullptr;
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
    std::vector<Executed> stages = executed(app, report_);
    if (stages.empty()) return report_.repaired(kNoTask, "application " + app.id);
    const std::int64_t start = app.start.value_or(stages.front().submit);
    if (!zero_) {
      zero_ = start;
      zero_id_ = app.id;
    }
    add(app.id, app.user, app.queue, EmuTime((start - *zero_) * 1000), [&](JobSpec& job) {
      const std::int64_t cores = app.task_cores.value_or(1);
      // memory_per_core() is at most kMostBytes, and cores at most kMostTaskCores.
      const Resources request{
          Millicores(cores * 1000),
          EmuBytes(std::min(memory_per_core(app, options_) * cores, kMostBytes))};
      without_memory_ += !bytes_of_executor(app);
      job.phases = phases_of(stages, request, cores, report_);
    });
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
    if (events_.without_cpu() > 0)
      report_.state("tasks without a CPU time: " + std::to_string(events_.without_cpu()) +
                    "; they compute for their run time");
    if (without_memory_ > 0)
      report_.state("applications without a memory of executors: " +
                    std::to_string(without_memory_) + "; their tasks request " +
                    print_bytes(options_.memory_per_core) + " per core (--memory-per-core)");
  }

  Events events_;
  Machines machines_;
  App pending_;                              ///< events before the start of an application
  App* current_ = nullptr;                   ///< of `group_`; nullptr: no event has named it yet
  App* last_ = nullptr;                      ///< the last `current_`
  std::vector<std::unique_ptr<App>> group_;  ///< applications with the id that is being read
  std::set<std::tuple<std::string, std::string, std::int64_t>> starts_;
  std::optional<std::int64_t> zero_;
  std::string zero_id_;
  std::int64_t without_memory_ = 0;
};

}  // namespace
}  // namespace spark

const FormatCode formats::spark{&spark::looks_like_spark, &import_with<spark::Reader>};

}  // namespace heddle::trace
