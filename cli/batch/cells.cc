#include "cli/batch/cells.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "common/directory.h"
#include "common/file.h"
#include "common/host_clock.h"
#include "common/installed.h"
#include "common/result_files.h"
#include "common/signals.h"
#include "common/sync_names.h"
#include "common/text.h"
#include "core/policy/registry.h"
#include "host/living_runs.h"
#include "host/run_directory.h"
#include "report/comparison/comparison.h"
#include "report/comparison/missing.h"
#include "report/disturbance.h"
#include "report/simulated.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using wire::Json;

constexpr int kShownLines = 20;  ///< maximum number of printed lines of a run's output
/// If more jobs than this were simulated alone, their times are forgotten, to bound memory.
constexpr std::size_t kMostKnown = 100000;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Result<Json> read_summary(const std::string& dir) {
  Result<std::string> text = read_file(summary_path(dir));
  if (!text) return std::move(text).error();
  Json summary = wire::parse_json(*text);
  try {
    (void)report::figures_of(summary);
    (void)summary.at("status").get<std::string>();
  } catch (const Json::exception& wrong) {
    return aborted_error(summary_path(dir) + ": not a summary (" + wrong.what() +
                         "); remove the directory to run it again");
  }
  return summary;
}

/// Returns why the run was aborted, according to its summary.
std::optional<std::string> reason_in(const std::string& dir) {
  const Result<std::string> text = read_file(summary_path(dir));
  const Json summary = text ? wire::parse_json(*text) : Json();
  if (!summary.is_object() || !summary.value("reason", Json()).is_string()) return std::nullopt;
  return summary["reason"].get<std::string>();
}

/// Returns whether another real run of this user is going on here. Two runs at once share the CPU,
/// so each disturbs the other. `ours`: the directory of a run that does not count.
bool others_run(const std::string& ours) {
  std::error_code error;
  const fs::path mine = fs::weakly_canonical(fs::absolute(ours, error), error);
  return std::ranges::any_of(host::living_runs(host::base_directories()),
                             [&](const host::LivingRun& run) { return run.out != mine; });
}

void add_user(const RunOptions& run, std::vector<std::string>& words) {
  if (run.task_user) words.insert(words.end(), {"--task-user", *run.task_user});
  if (run.allow_root_commands) words.emplace_back("--allow-root-commands");
}

}  // namespace

CellMaker::CellMaker(std::string dir, const BatchPlan& plan, const CellOptions& options,
                     int signals)
    : dir_(std::move(dir)),
      held_(::open(dir_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      plan_(plan),
      options_(options),
      signals_(signals),
      places_(batch_order(repeats_of(plan))),
      scenarios_(plan, options.run, options.typed),
      alone_(asked_to_stop),
      screen_(options.run.quiet) {}

Result<std::string> CellMaker::directory() const {
  return held_ ? present_path(held_, dir_) : system_error("open " + dir_, ENOENT);
}

bool CellMaker::follow() {
  if (gone_) return false;
  Result<std::string> now = directory();
  if (!now) {
    gone_ = true;
    can_write_ = false;
    screen_.clear();
    say(now.error().text);
    if (status_ == kExitDone) status_ = exit_status(now.error());
    return false;
  }
  if (*now != dir_) {
    screen_.clear();
    say("warning: the results were moved meanwhile, to " + *now);
    dir_ = *std::move(now);
  }
  return true;
}

Result<void> CellMaker::look(const std::vector<std::size_t>& cells) {
  (void)remove_dead_scratch(dir_);
  for (const std::size_t cell : cells) {
    if (asked_to_stop()) break;
    Result<std::optional<Open>> open = look_at(cell);
    if (!open) return std::move(open).error();
    if (*open)
      open_.push_back(**open);
    else
      ++found_;
  }
  return remove_old();
}

/// Returns the files of the policy's program with which the cell was made, as far as they are
/// known.
CellMaker::Made CellMaker::program_of(std::size_t cell) const {
  const std::string path = dir_ + "/" + record_file(name_of(cell));
  if (const Result<std::string> text = read_file(path))
    if (const Result<CellRecord> record = read_record(*text, path);
        record && !record->program.empty())
      return {record->program, record->files};
  const std::string made = scenario_path(path_of(cell));
  if (!open_to_read(made)) return {};
  const Result<CheckedScenario> had = workloads::read_scenario(made, Overrides());
  if (!had || !had->scenario.policy.external) return {};
  return {had->scenario.policy.external->sha256, policy_files(path_of(cell))};
}

/// Returns which file has changed if the cell was made with another version of its policy's program
/// and is the same otherwise.
Result<std::optional<std::string>> CellMaker::changed_program(std::size_t cell,
                                                              const Scenario& scenario) const {
  std::optional<std::string> changed;
  if (!scenario.policy.external || scenario.policy.external->sha256.empty()) return changed;
  const ExternalSpec& external = *scenario.policy.external;
  const Made program = program_of(cell);
  if (program.sha256.empty()) return changed;
  if (program.sha256 != external.sha256)
    changed = fs::path(external.program).filename().string();
  else
    changed = changed_file(external, program.files);
  if (!changed) return changed;
  Scenario made = scenario;
  made.policy.external->sha256 = program.sha256;
  const std::string text = write_scenario(made);
  if (const auto record = record_of_cell(cell, text); !record) return record.error();
  const Result<RunState> state = run_state(path_of(cell), text);
  return state ? Result<std::optional<std::string>>(changed) : state.error();
}

/// Removes the results of the cells that an earlier version of their policy's program made.
Result<void> CellMaker::remove_old() {
  struct Old {
    std::set<std::string> files;
    int runs = 0;
  };
  std::map<std::size_t, Old> variants;
  for (const auto& [cell, file] : old_) {
    for (const std::string& path : {path_of(cell), dir_ + "/" + record_file(name_of(cell))})
      HEDDLE_TRY(remove_path(path));
    Old& old = variants[places_[cell].variant];
    old.files.insert(file);
    ++old.runs;
  }
  for (const auto& [variant, old] : variants)
    say(fmt::format("{}: {} {} changed, so {} made again", plan_.variants[variant].name,
                    join(std::vector<std::string>(old.files.begin(), old.files.end()), " and "),
                    old.files.size() == 1 ? "has" : "have",
                    old.runs == 1 ? "its run is" : fmt::format("its {} runs are", old.runs)));
  return {};
}

/// Returns the record of the cell if it is complete. Removes a record that cannot be read. Error
/// (kUsage): the record is of another scenario.
Result<std::optional<CellRecord>> CellMaker::record_of_cell(std::size_t cell,
                                                            const std::string& scenario) const {
  const std::string path = dir_ + "/" + record_file(name_of(cell));
  const Result<std::string> text = read_file(path);
  if (!text) return std::optional<CellRecord>();
  Result<CellRecord> record = read_record(*text, path);
  if (!record) {
    HEDDLE_TRY(remove_path(path));
    return std::optional<CellRecord>();
  }
  if (record->scenario != mark_of(scenario))
    return usage_error(path +
                       ": the record of a run of another scenario or policy; expected the command "
                       "that made it, or another directory");
  const bool complete = record->alone && record->summary.has_value() == (plan_.kind == "compare");
  return complete ? std::optional(*std::move(record)) : std::nullopt;
}

Result<std::optional<CellMaker::Open>> CellMaker::look_at(std::size_t cell) {
  std::error_code error;
  const bool has_path = fs::exists(fs::symlink_status(path_of(cell), error));
  if (!has_path && !fs::exists(dir_ + "/" + record_file(name_of(cell)), error))
    return std::optional(Open{cell, false});
  const Result<Scenario> scenario = scenarios_.scenario(places_[cell]);
  if (!scenario) return scenario.error();
  const Result<std::optional<std::string>> changed = changed_program(cell, *scenario);
  if (!changed) return changed.error();
  if (*changed) {
    old_.emplace(cell, **changed);
    return std::optional(Open{cell, false});
  }
  const std::string text = write_scenario(*scenario);
  const Result<std::optional<CellRecord>> found = record_of_cell(cell, text);
  if (!found) return found.error();
  const bool has_record = found->has_value();
  if (!has_path) {
    const bool enough = has_record && !keeps_directory(plan_) && !to_rerun(**found);
    return enough ? std::nullopt : std::optional(Open{cell, false});
  }
  Result<RunState> state = run_state(path_of(cell), text);
  if (!state) return std::move(state).error();
  if (*state == RunState::kDone) {
    const Result<Json> summary = read_summary(path_of(cell));
    if (!summary) return summary.error();
    if (!has_record) return std::optional(Open{cell, true});
    if (!to_rerun(**found)) return std::optional<Open>();
  }
  if (!options_.run.quiet)
    say("removing " + path_of(cell) +
        (*state == RunState::kDone ? ", which is affected" : ", which is unfinished"));
  HEDDLE_TRY(remove_path(path_of(cell)));
  return std::optional(Open{cell, false});
}

bool CellMaker::to_rerun(const CellRecord& record) const {
  return record.disturbed && !plan_.simulate && options_.rerun_affected > 0;
}

int CellMaker::make() {
  if (asked_to_stop()) interrupted_ = true;
  screen_.start(open_.size(), found_);
  if (plan_.simulate && !keeps_directory(plan_)) make_records();
  make_runs();
  screen_.clear();
  if (!follow()) return interrupted_ ? kExitInterrupted : status_;
  if (const Result<Directory> records = Directory::open(dir_ + "/" + kCellsDirectory))
    if (const Result<void> synced = sync_names(*records); !synced && status_ == kExitDone)
      status_ = fail(synced.error());
  return interrupted_ ? kExitInterrupted : status_;
}

void CellMaker::make_records() {
  CellWorkers workers(width(), [this](std::size_t cell) { return simulated_record(cell); });
  std::size_t next = 0;
  std::vector<Open> left;
  while (true) {
    while (can_write_ && !interrupted_ && workers.has_idle() && next < open_.size()) {
      const Open& open = open_[next++];
      if (open.has_run) {
        left.push_back(open);
        continue;
      }
      const std::size_t cell = open.cell;
      if (const Result<void> given = workers.give(cell); given)
        screen_.on_start(name_of(cell), false);
      else
        fail_cell(cell, exit_status(given.error()), given.error().text);
    }
    if (interrupted_ || !workers.has_busy()) break;
    for (const CellWorkers::Answer& answer : workers.wait(signals_)) {
      if (answer.text && answer.text->empty()) {
        left.push_back({answer.cell});
        continue;
      }
      if (!follow()) break;
      const Result<void> put =
          answer.text ? put_record(answer.cell, *answer.text) : answer.text.error();
      if (answer.text && !put) can_write_ = false;
      if (put)
        screen_.on_end(name_of(answer.cell));
      else
        fail_cell(answer.cell, exit_status(put.error()), put.error().text);
    }
    while (next_signal(signals_) != 0) interrupt();
  }
  open_ = std::move(left);
}

Result<std::string> CellMaker::simulated_record(std::size_t cell) {
  const double began_s = seconds_now();
  Result<Scenario> scenario = scenarios_.scenario(places_[cell]);
  if (!scenario) return std::move(scenario).error();
  if (scenario->policy.external) return std::string();
  Result<Json> summary = report::simulated_summary(*scenario, {.cost = true});
  if (!summary) return std::move(summary).error();
  if (summary->at("status") == heddle::name_of(RunStatus::kAborted))
    return aborted_error(summary->at("reason").get<std::string>());
  return record_text(cell, *summary, *scenario, seconds_now() - began_s, false);
}

void CellMaker::make_runs() {
  std::size_t next = 0;
  while (true) {
    while (can_write_ && !interrupted_ && active_.size() < width() &&
           (!again_.empty() || next < open_.size())) {
      const Open open = again_.empty() ? open_[next++] : again_.back();
      if (!again_.empty()) again_.pop_back();
      start(open);
    }
    if (active_.empty()) break;
    wait();
  }
}

/// Returns how many runs are made at the same time. A policy that is a program which runs already
/// serves one run at a time.
std::size_t CellMaker::width() const {
  if (!plan_.simulate || has_endpoint_) return 1;
  return options_.jobs > 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
}

void CellMaker::start(const Open& open) {
  if (!follow()) return;
  const std::string dir = dir_;
  const double began_s = seconds_now();
  Result<void> done;
  if (open.has_run) {
    Result<Scenario> scenario = scenarios_.scenario(places_[open.cell]);
    Result<Json> summary = read_summary(path_of(open.cell));
    if (!scenario)
      done = scenario.error();
    else if (!summary)
      done = summary.error();
    else
      done = write_record_of(open.cell, *summary, *scenario, seconds_now() - began_s, false,
                             policy_files(path_of(open.cell)));
    while (next_signal(signals_) != 0) interrupt();
    if (done) return screen_.on_end(name_of(open.cell));
  } else {
    Result<Active> active = started(open);
    if (active) {
      active_.push_back(*std::move(active));
      return screen_.on_start(name_of(open.cell), !plan_.simulate);
    }
    done = active.error();
  }
  if (missed(dir)) return again_.push_back(open);
  fail_cell(open.cell, exit_status(done.error()), done.error().text);
}

Result<CellMaker::Active> CellMaker::started(const Open& open) {
  const std::size_t cell = open.cell;
  const double began_s = seconds_now();
  Result<Scenario> scenario = scenarios_.scenario(places_[cell]);
  if (!scenario) return std::move(scenario).error();
  has_endpoint_ |= scenario->policy.external && !scenario->policy.external->endpoint.empty();
  Result<CellScratch> scratch = CellScratch::make(dir_, cell);
  if (!scratch) return std::move(scratch).error();
  HEDDLE_TRY(replace_file(scratch->scenario(), write_scenario(*scenario)));
  const bool shared = !plan_.simulate && others_run(scratch->run());
  // The child needs no inherited descriptors except the standard ones.
  Result<host::Child> child = host::Child::spawn(words(cell, *scratch), STDIN_FILENO);
  if (!child) return std::move(child).error();
  return Active{cell,
                *std::move(scratch),
                *std::move(scenario),
                *std::move(child),
                began_s,
                shared,
                open.reruns,
                dir_};
}

std::vector<std::string> CellMaker::words(std::size_t cell, const CellScratch& scratch) const {
  const RunOptions& run = options_.run;
  std::vector<std::string> words = {program_path("heddle"),
                                    plan_.simulate ? "simulate" : "run",
                                    scratch.scenario(),
                                    "--out",
                                    scratch.run(),
                                    "--journal",
                                    keeps_journal(plan_, places_[cell]) ? plan_.journal : "none",
                                    "--quiet",
                                    "--derived=later"};
  const bool external = scenarios_.runs_external(plan_.variants[places_[cell].variant]);
  if (external) words.emplace_back("--allow-exec");  // this command line allows it
  if (external || (!plan_.simulate && run.allow_commands)) add_user(run, words);
  if (plan_.simulate) return words;
  words.insert(words.end(), {"--durability", plan_.durability});
  if (run.cgroup) words.insert(words.end(), {"--cgroup", *run.cgroup});
  if (run.allow_commands) words.emplace_back("--allow-commands");
  if (run.allow_unisolated_commands) words.emplace_back("--allow-unisolated-commands");
  return words;
}

void CellMaker::wait() {
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
void CellMaker::interrupt() {
  interrupted_ = true;
  for (const Active& active : active_) active.child.signal(plan_.simulate ? SIGKILL : SIGINT);
}

void CellMaker::end(const Active& active) {
  if (!follow()) return;
  const host::ChildEnd& end = *active.child.end();
  if (!end.signal && came_to_its_end(end.code)) {
    if (const std::optional<std::string> reason = reason_to_rerun(active)) {
      screen_.clear();
      say(fmt::format("{} is made again ({} of {}): {}", name_of(active.cell), active.reruns + 1,
                      options_.rerun_affected, *reason));
      return again_.push_back({active.cell, false, active.reruns + 1});
    }
    if (Result<void> taken = take_in(active); !taken) {
      if (missed(active.dir)) return again_.push_back({active.cell, false, active.reruns});
      can_write_ = false;
      return fail_cell(active.cell, exit_status(taken.error()), taken.error().text);
    }
    return screen_.on_end(name_of(active.cell));
  }
  if (interrupted_) return;
  if (active.dir != dir_) return again_.push_back({active.cell, false, active.reruns});
  const bool ours = !end.signal && (end.code == kExitUsage || end.code == kExitMachine ||
                                    end.code == kExitInterrupted);
  fail_cell(active.cell, ours ? end.code : kExitAborted,
            reason_in(active.scratch.run()).value_or(host::words_of(active.child, kShownLines)));
}

std::optional<std::string> CellMaker::reason_to_rerun(const Active& active) const {
  if (plan_.simulate || interrupted_ || active.reruns >= options_.rerun_affected)
    return std::nullopt;
  const Result<Json> summary = read_summary(active.scratch.run());
  if (!summary) return std::nullopt;
  if (summary->value("disturbed", Json()) == true) return report::disturbance_text(*summary);
  return active.shared ? std::optional<std::string>("another real run was going on") : std::nullopt;
}

Result<void> CellMaker::take_in(const Active& active) {
  const bool shared = active.shared || (!plan_.simulate && others_run(active.scratch.run()));
  std::string run = active.scratch.run();
  Result<Json> summary = read_summary(run);
  if (!summary) return std::move(summary).error();
  PolicyFiles files = policy_files(run);
  if (keeps_directory(plan_)) {
    run = path_of(active.cell);
    if (const Result<void> kept = active.scratch.publish_run(run); !kept) {
      if (kept.error().code != EEXIST && kept.error().code != ENOTEMPTY) return kept.error();
      // Another process has made the same cell. Its run counts.
      summary = read_summary(run);
      if (!summary) return std::move(summary).error();
      files = policy_files(run);
    }
  }
  return write_record_of(active.cell, *summary, active.scenario, seconds_now() - active.began_s,
                         shared, std::move(files));
}

Result<void> CellMaker::write_record_of(std::size_t cell, const Json& summary,
                                        const Scenario& scenario, double took_s, bool shared,
                                        PolicyFiles files) {
  screen_.on_start(name_of(cell) + ", each job alone", false);
  return put_record(cell, record_text(cell, summary, scenario, took_s, shared, std::move(files)));
}

std::string CellMaker::record_text(std::size_t cell, const Json& summary, const Scenario& scenario,
                                   double took_s, bool shared, PolicyFiles files) {
  const double began_s = seconds_now();
  if (alone_.known() > kMostKnown) alone_ = report::AloneTimes(asked_to_stop);
  const report::JobReferences references = alone_.of(scenario);
  CellRecord record = record_of(plan_, places_[cell], summary, references);
  record.alone = !asked_to_stop();
  record.scenario = mark_of(write_scenario(scenario));
  if (scenario.policy.external) record.program = scenario.policy.external->sha256;
  record.files = std::move(files);
  record.host = host_name();
  record.disturbed |= shared;
  if (plan_.predict && !scenario.policy.external && !asked_to_stop())
    if (Result<Json> predicted = report::simulated_summary(scenario))
      record.predicted = reduced_summary(*predicted);
  record.took_s = took_s + seconds_now() - began_s;
  return write_record(record);
}

Result<void> CellMaker::put_record(std::size_t cell, const std::string& text) const {
  const std::string path = dir_ + "/" + record_file(name_of(cell));
  const PathParts parts = parts_of(path);
  Result<Directory> records = Directory::make(parts.directory);
  if (!records) return std::move(records).error();
  Result<Directory::Temporary> temporary = records->create_for(parts.name);
  if (!temporary) return std::move(temporary).error();
  Result<void> written = write_all(temporary->file.get(), text, path);
  // make() syncs the names of all records together, which takes less time.
  if (written) written = records->put(*temporary, parts.name);
  if (!written) records->discard(*temporary);
  if (!written) return written;
  ::unlink((dir_ + "/" + failure_file(name_of(cell))).c_str());
  return {};
}

/// Reports that the cell has failed, and tries to leave a record of this. Prints a cause only the
/// first time that a variant has it.
void CellMaker::fail_cell(std::size_t cell, int status, const std::string& reason) {
  screen_.clear();
  if (causes_.emplace(places_[cell].variant, report::cause_of(reason)).second)
    say(name_of(cell) + ": " + reason);
  if (status_ == kExitDone) status_ = status;
  if (!gone_ && Directory::make(dir_ + "/" + kCellsDirectory))
    (void)replace_file(dir_ + "/" + failure_file(name_of(cell)),
                       write_failure({host_name(), status, report::without_traceback(reason)}));
}

}  // namespace heddle::cli
