#include "cli/batch/batch.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <thread>

#include "cli/base/browser.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/batch/batch_prepare.h"
#include "cli/batch/batch_screen.h"
#include "cli/results/comparison_page.h"
#include "cli/results/results.h"
#include "cli/results/variant_directory.h"
#include "cli/run/session.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/installed.h"
#include "common/result_files.h"
#include "common/signals.h"
#include "core/policy/registry.h"
#include "host/child.h"
#include "report/alone.h"
#include "report/comparison/comparison.h"
#include "report/comparison/words.h"
#include "report/simulated.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using wire::Json;

constexpr int kShownLines = 20;  ///< maximum number of printed lines of a run's output

bool is_full(const std::string& dir) {
  std::error_code error;
  return fs::exists(dir, error) && !fs::is_empty(dir, error);
}

/// The directory of a batch. The directory is locked for this process as long as this object lives.
class BatchDir {
 public:
  /// Error (kUsage): another process is using the directory.
  static Result<BatchDir> open(const std::string& path) {
    std::error_code error;
    if (fs::exists(path, error) && !fs::is_directory(path, error))
      return usage_error("--out " + path + ": not a directory");
    Result<Directory> made = make_directory(path);
    if (!made) return std::move(made).error();
    Result<std::optional<Fd>> lock = lock_directory(*made);
    if (!lock) return std::move(lock).error();
    if (!*lock)
      return usage_error("--out " + path +
                         ": another heddle is using it; expected another directory, or wait until "
                         "that one has ended");
    return BatchDir(path, **std::move(lock));
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  BatchDir(std::string path, Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  Fd lock_;
};

Result<Json> read_summary(const std::string& dir) {
  Result<std::string> text = read_file(dir + "/summary.json");
  if (!text) return std::move(text).error();
  Json summary = wire::parse_json(*text);
  try {
    (void)report::figures_of(summary);
    (void)summary.at("status").get<std::string>();
  } catch (const Json::exception& wrong) {
    return aborted_error(dir + "/summary.json: not a summary (" + wrong.what() +
                         "); remove the directory to run it again");
  }
  return summary;
}

/// Returns how long the run took in real seconds, if the summary says it.
std::optional<double> wall_s_of(const Json& summary) {
  const Json overhead = summary.value("overhead", Json());
  const Json wall_s = overhead.is_object() ? overhead.value("wall_s", Json()) : Json();
  return wall_s.is_number() ? std::optional(wall_s.get<double>()) : std::nullopt;
}

/// Returns the scenario.yaml of the first run that exists, or "".
std::string first_scenario(const std::string& dir, const BatchState& state) {
  if (dir.empty()) return "";
  for (const auto& runs : state.runs)
    for (const BatchRun& run : runs)
      if (Result<std::string> text = read_file(dir + "/" + run.dir + "/scenario.yaml"))
        return *text;
  return "";
}

/// Checks that the batch in the directory can be continued. The batch's file must have the same
/// kind, scenario and mode.
Result<void> check_continued(const BatchDir& dir, const std::string& kind,
                             const BatchState& state) {
  const std::string where = "--out " + dir.path() + ": ";
  Result<std::string> text = read_file(dir / (kind + ".json"));
  if (!text)
    return usage_error(where + "the directory is not empty and holds no " + kind +
                       ".json; results are never overwritten");
  const Json had = wire::parse_json(*text);
  auto is = [&](const char* key, const std::string& value) {
    return had.is_object() && had.contains(key) && had[key] == value;
  };
  if (!is("kind", kind) || !is("scenario", state.scenario) || !is("mode", state.mode))
    return usage_error(where + kind + ".json is not of " + state.scenario + ", " + state.mode +
                       "; results are never overwritten");
  for (const Json& name : had.value("variants", Json::array()))
    if (std::ranges::none_of(state.variants, [&](const Variant& one) { return name == one.name; }))
      return usage_error(where + kind + ".json has results of " + name.dump() +
                         ", which this command leaves out; expected a command with all variants "
                         "of the earlier one, or another --out");
  return {};
}

/// A run in progress.
struct Active {
  BatchPlace place;
  std::string file;  ///< scenario file, removed when the run has ended
  host::Child child;
};

class Batch {
 public:
  Batch(const BatchOptions& options, const BatchKind& kind, BatchDir dir, BatchScenarios scenarios,
        BatchState state, int signals)
      : options_(options),
        kind_(kind),
        dir_(std::move(dir)),
        scenarios_(std::move(scenarios)),
        state_(std::move(state)),
        signals_(signals) {}

  int run() {
    // From here on, the directory is recognized as a directory of this batch, even if this process
    // fails.
    if (Result<void> ready = prepare(); !ready) return fail(ready.error());
    if (asked_to_stop()) return kExitInterrupted;
    work();
    if (!interrupted_) refer_to_jobs_alone();
    if (!interrupted_ && options_.predict) predict();
    screen_.clear();
    if (interrupted_) status_ = kExitInterrupted;
    Result<void> told = finish();
    if (!told && came_to_its_end(status_)) return fail(told.error());
    if (!told) say(told.error().text);
    if (told && options_.run.open && !interrupted_) open_in_browser(page());
    if (status_ == kExitDone && any_failed()) return kExitJobFailed;
    return status_;
  }

 private:
  /// Finds the completed runs and removes the unfinished ones.
  Result<void> prepare() {
    for (const BatchPlace& place : batch_order(repeats())) {
      if (asked_to_stop()) return {};
      BatchRun& run = run_at(place);
      std::error_code error;
      if (!fs::exists(fs::symlink_status(dir_ / run.dir, error))) {
        missing_.push_back(place);
        continue;
      }
      Result<std::string> text = scenarios_.text(state_.variants[place.variant], place.repeat);
      if (!text) return std::move(text).error();
      Result<RunState> state = run_state(dir_ / run.dir, *text);
      if (!state) return std::move(state).error();
      if (*state == RunState::kDone) {
        HEDDLE_TRY(take_in(place));
        continue;
      }
      if (!options_.run.quiet) say("removing " + dir_ / run.dir + ", which is unfinished");
      HEDDLE_TRY(remove_path(dir_ / run.dir));
      missing_.push_back(place);
    }
    if (fs::exists(dir_ / file_name())) return {};
    return replace_file(dir_ / file_name(), describe().dump(1) + "\n");
  }

  void work() {
    std::size_t next = 0;
    screen_.start(missing_.size(), runs_count() - missing_.size());
    while (true) {
      while (status_ == kExitDone && !interrupted_ && active_.size() < width() &&
             next < missing_.size())
        start(missing_[next++]);
      if (active_.empty()) return;
      wait();
    }
  }

  /// Returns how many runs are made at the same time.
  std::size_t width() const {
    return options_.simulate && !scenarios_.has_endpoint()
               ? std::max(1U, std::thread::hardware_concurrency())
               : 1;
  }

  void start(const BatchPlace& place) {
    const BatchRun& run = run_at(place);
    const std::string file = dir_ / ("." + run.dir + ".yaml");
    Result<void> started = [&]() -> Result<void> {
      Result<std::string> text = scenarios_.text(state_.variants[place.variant], place.repeat);
      if (!text) return std::move(text).error();
      HEDDLE_TRY(replace_file(file, *text));
      // The child needs no inherited descriptors except the standard ones.
      Result<host::Child> child = host::Child::spawn(words(place, file), STDIN_FILENO);
      if (!child) return std::move(child).error();
      active_.push_back({place, file, *std::move(child)});
      return {};
    }();
    if (started) return screen_.on_start(run.dir, !options_.simulate);
    ::unlink(file.c_str());
    screen_.clear();
    status_ = fail(started.error());
  }

  static void add_user(const RunOptions& run, std::vector<std::string>& words) {
    if (run.task_user) words.insert(words.end(), {"--task-user", *run.task_user});
    if (run.allow_root_commands) words.emplace_back("--allow-root-commands");
  }

  /// Returns whether the variant's runs start the program of an external policy.
  bool runs_external(const Variant& variant) const {
    if (!variant.policy || options_.from_file)
      return options_.run.allow_exec || options_.run.overrides.policy;
    const Result<PolicySpec> policy = parse_policy(*variant.policy);
    return policy && policy->external;
  }

  std::vector<std::string> words(const BatchPlace& place, const std::string& file) const {
    const RunOptions& run = options_.run;
    const bool whole = !options_.simulate || options_.keep_all || place.repeat == 0;
    std::vector<std::string> words = {program_path("heddle"),
                                      options_.simulate ? "simulate" : "run",
                                      file,
                                      "--out",
                                      dir_ / run_at(place).dir,
                                      "--journal",
                                      whole ? run.journal : "none",
                                      "--quiet",
                                      "--derived=later"};
    const bool external = runs_external(state_.variants[place.variant]);
    if (external) words.emplace_back("--allow-exec");  // the batch's command line allows it
    if (external || (!options_.simulate && run.allow_commands)) add_user(run, words);
    if (options_.simulate) return words;
    words.insert(words.end(), {"--durability", run.durability});
    if (run.cgroup) words.insert(words.end(), {"--cgroup", *run.cgroup});
    if (run.allow_commands) words.emplace_back("--allow-commands");
    if (run.allow_unisolated_commands) words.emplace_back("--allow-unisolated-commands");
    return words;
  }

  void wait() {
    std::vector<pollfd> items = {{signals_, POLLIN, 0}};
    for (const Active& active : active_) items.push_back({active.child.pidfd(), POLLIN, 0});
    if (::poll(items.data(), items.size(), -1) < 0 && errno != EINTR)
      throw std::runtime_error("poll failed");
    while (next_signal(signals_) != 0) interrupt();
    for (std::size_t i = 0; i < active_.size();)
      if (active_[i].child.reap()) {
        end(active_[i]);
        active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
  }

  /// Kills simulations, because they leave only files. Sends SIGINT to real runs, which then clean
  /// up. A second SIGINT ends a real run at once.
  void interrupt() {
    interrupted_ = true;
    for (const Active& active : active_) active.child.signal(options_.simulate ? SIGKILL : SIGINT);
  }

  void end(const Active& active) {
    ::unlink(active.file.c_str());
    const host::ChildEnd& end = *active.child.end();
    const std::string& dir = run_at(active.place).dir;
    if (!end.signal && came_to_its_end(end.code)) {
      screen_.on_end(dir);
      if (Result<void> taken = take_in(active.place); !taken) status_ = fail(taken.error());
      return;
    }
    if (interrupted_) return;
    screen_.clear();
    say(dir + ": " + host::words_of(active.child, kShownLines));
    const bool ours = !end.signal && (end.code == kExitUsage || end.code == kExitMachine ||
                                      end.code == kExitInterrupted);
    status_ = ours ? end.code : kExitAborted;
  }

  Result<void> take_in(const BatchPlace& place) {
    BatchRun& run = run_at(place);
    Result<Json> summary = read_summary(dir_ / run.dir);
    if (!summary) return std::move(summary).error();
    run.summary = *std::move(summary);
    return {};
  }

  /// Simulates the jobs alone, for slowdowns.
  void refer_to_jobs_alone() {
    screen_.on_start("simulating jobs alone, for slowdowns", false);
    report::AloneTimes alone(asked_to_stop);
    for (const BatchPlace& place : batch_order(repeats())) {
      if (!run_at(place).summary) continue;
      Result<Scenario> scenario = scenarios_.scenario(state_.variants[place.variant], place.repeat);
      if (scenario) run_at(place).references = alone.of(*scenario);
    }
    while (next_signal(signals_) != 0) interrupt();
  }

  /// Simulates the real runs. A run whose policy is a program is not simulated.
  void predict() {
    for (const BatchPlace& place : batch_order(repeats())) {
      while (next_signal(signals_) != 0) interrupt();
      BatchRun& run = run_at(place);
      if (interrupted_ || !run.summary) continue;
      screen_.on_start("simulating " + run.dir, false);
      Result<Scenario> scenario = scenarios_.scenario(state_.variants[place.variant], place.repeat);
      if (!scenario || scenario->policy.external) continue;
      if (Result<Json> summary = report::simulated_summary(*scenario))
        run.predicted = *std::move(summary);
    }
  }

  Json describe() const {
    Json json = {{"schema", 1},
                 {"kind", kind_.name},
                 {"scenario", state_.scenario},
                 {"mode", state_.mode},
                 {"repeat", options_.repeat}};
    json["wall_s"] = wall_s();
    if (options_.from_file) json["experiment"] = true;
    for (const Variant& variant : state_.variants) json["variants"].push_back(variant.name);
    json.update(kind_.describe(state_));
    report::JobReferences most;
    for (const auto& runs : state_.runs)
      for (const BatchRun& run : runs)
        if (run.references.distinct > most.distinct) most = run.references;
    if (most.distinct > 0) json["slowdown"] = report::alone_text(most, state_.mode == "real");
    return json;
  }

  /// Returns how long the runs took together in real seconds, or null if no run has ended.
  Json wall_s() const {
    Json sum;
    for (const auto& runs : state_.runs)
      for (const BatchRun& run : runs)
        if (const std::optional<double> one = run.summary ? wall_s_of(*run.summary) : std::nullopt)
          sum = *one + (sum.is_number() ? sum.get<double>() : 0);
    return sum;
  }

  Result<void> finish() const {
    const Json json = describe();
    HEDDLE_TRY(replace_file(dir_ / file_name(), json.dump(1) + "\n"));
    HEDDLE_TRY(write_page_of_comparison(dir_.path(), json, page()));
    if (!kind_.texts) return {};
    if (options_.run.json)
      std::cout << json.dump(2) << '\n';
    else if (options_.csv)
      std::cout << kind_.texts->csv(json);
    else if (options_.markdown)
      std::cout << kind_.texts->markdown(json);
    else
      std::cout << kind_.texts->table(json) << "\nall metrics: " << dir_ / file_name() << ", "
                << page() << '\n';
    return {};
  }

  std::string file_name() const { return kind_.name + ".json"; }
  std::string page() const { return dir_ / (kind_.name + ".html"); }
  const BatchRun& run_at(const BatchPlace& place) const {
    return state_.runs[place.variant][static_cast<std::size_t>(place.repeat)];
  }
  BatchRun& run_at(const BatchPlace& place) {
    return state_.runs[place.variant][static_cast<std::size_t>(place.repeat)];
  }
  std::vector<int> repeats() const {
    std::vector<int> repeats;
    for (const auto& runs : state_.runs) repeats.push_back(static_cast<int>(runs.size()));
    return repeats;
  }
  std::size_t runs_count() const {
    std::size_t count = 0;
    for (const auto& runs : state_.runs) count += runs.size();
    return count;
  }
  bool any_failed() const {
    for (const auto& runs : state_.runs)
      for (const BatchRun& run : runs)
        if (status_of(run) == "failed") return true;
    return false;
  }

  const BatchOptions& options_;
  const BatchKind& kind_;
  BatchDir dir_;
  BatchScenarios scenarios_;
  BatchState state_;
  int signals_;
  std::vector<BatchPlace> missing_;
  std::vector<Active> active_;
  BatchScreen screen_{options_.run.quiet};
  int status_ = kExitDone;
  bool interrupted_ = false;
};

/// Returns the state of a new batch, without summaries and seeds.
BatchState state_of(const BatchOptions& options, std::vector<Variant> variants) {
  make_unique(variants);
  BatchState state;
  state.mode = options.simulate ? "simulated" : "real";
  for (const Variant& variant : variants) {
    state.runs.emplace_back();
    for (int repeat = 1; repeat <= repeats_of(variant, options.repeat); ++repeat)
      state.runs.back().push_back(
          {directory_of(variant.name) + "-" + std::to_string(repeat), 0, std::nullopt, {}});
  }
  state.variants = std::move(variants);
  return state;
}

}  // namespace

Result<int> run_batch(const BatchOptions& options, std::vector<Variant> variants,
                      const BatchKind& kind) {
  BatchState state = state_of(options, std::move(variants));
  Result<BatchScenarios> scenarios =
      BatchScenarios::read(options, state.variants, first_scenario(options.run.out, state));
  if (!scenarios) return std::move(scenarios).error();
  state.scenario = scenarios->name();
  std::string out = options.run.out;
  if (out.empty()) {
    Result<std::string> claimed =
        claim_out("results/" + state.scenario + "-" + kind.name + "-" + local_time(), true);
    if (!claimed) return std::move(claimed).error();
    out = *std::move(claimed);
  }
  const bool continued = is_full(out);
  Result<BatchDir> dir = BatchDir::open(out);
  if (!dir) return std::move(dir).error();
  if (continued) HEDDLE_TRY(check_continued(*dir, kind.name, state));
  for (auto& runs : state.runs)
    for (std::size_t i = 0; i < runs.size(); ++i)
      runs[i].seed = scenarios->seed(static_cast<int>(i));
  Fd signals = take_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  return Batch(options, kind, *std::move(dir), *std::move(scenarios), std::move(state),
               signals.get())
      .run();
}

Json status_of(const BatchRun& run) { return run.summary ? run.summary->at("status") : Json(); }

Json runs_json(const std::vector<BatchRun>& runs) {
  Json json = Json::array();
  for (const BatchRun& run : runs)
    json.push_back({{"dir", run.dir}, {"seed", run.seed}, {"status", status_of(run)}});
  return json;
}

}  // namespace heddle::cli
