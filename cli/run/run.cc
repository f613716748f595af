#include "cli/run/run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>
#include <thread>
#include <utility>

#include "cgroup/home.h"
#include "cgroup/ownership.h"
#include "cgroup/tree.h"
#include "cli/base/browser.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/results/derive.h"
#include "cli/results/past_run.h"
#include "cli/results/results.h"
#include "cli/run/forecast.h"
#include "cli/run/host.h"
#include "cli/run/node_limits.h"
#include "cli/run/prepare.h"
#include "cli/run/run_checks.h"
#include "cli/run/session.h"
#include "common/file.h"
#include "common/result_files.h"
#include "common/run_status.h"
#include "common/text.h"
#include "core/policy/own_options.h"
#include "host/child.h"
#include "host/fill_rate.h"
#include "host/leftovers.h"
#include "host/own_user.h"
#include "host/run_directory.h"
#include "host/task_user.h"
#include "report/manifest.h"
#include "report/price.h"
#include "report/summary.h"

namespace heddle::cli {
namespace {

constexpr std::chrono::milliseconds kGroupLimit{900};
/// Maximum time for the warm-up. A machine that is not a virtual one needs 0.1 s per GiB.
constexpr std::chrono::milliseconds kWarmUp{2000};
/// Maximum memory of the warm-up, so that it takes no memory from other programs.
constexpr real::Bytes kMostWarm{1LL << 30};

/// If control groups require it, executes this command again in a scope that systemd delegates to
/// it.
Result<void> enter_scope(const RunOptions& options) {
  if (options.cgroup || !options.bind.empty()) return {};
  auto command = cgroup::systemd_scope_command(options.command_line);
  if (!command) return {};
  std::vector<char*> words;
  for (std::string& word : *command) words.push_back(word.data());
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  return system_error("start " + *command->begin(), errno);
}

/// Gives the scope that this command has entered the weight of the scenario. The scope was made
/// before the scenario was read, and has the largest weight.
Result<void> set_scope_weight(const Scenario& scenario) {
  const auto command =
      cgroup::scope_weight_command(cgroup::CpuWeight{scenario.emulation.cpu_weight});
  if (!command) return {};
  Result<host::Child> child = host::Child::spawn(*command, host::ChildOptions{});
  if (!child) return std::move(child).error();
  child->wait();
  if (child->end() == host::ChildEnd{}) return {};
  return machine_error("emulation.cpu_weight: " + join(*command, " ") +
                       " failed: " + child->last_words(3));
}

void tell(const host::Swept& swept, bool quiet) {
  for (const std::string& what : swept.removed)
    if (!quiet) say("removed " + what);
  for (const std::string& what : swept.failed) say("could not remove " + what);
  if (!swept.left.empty() && !quiet)
    say(std::to_string(swept.left.size()) +
        (swept.left.size() == 1 ? " control group was" : " control groups were") +
        " left alone because nothing shows that a dead run of this user made them; heddle clean "
        "lists them");
}

/// Takes a user id for the run's commands, if they need a separate one.
Result<std::optional<host::OwnUser>> take_own_user(const RunOptions& options) {
  if (!options.allow_commands || !options.bind.empty()) return std::optional<host::OwnUser>();
  Result<std::optional<host::TaskUser>> user = host::find_task_user(
      host::task_user_question(options.task_user, options.allow_root_commands));
  if (!user) return std::move(user).error();
  if (*user) return std::optional<host::OwnUser>();
  Result<host::OwnUser> own = host::OwnUser::take(std::random_device()());
  if (!own) return std::move(own).error();
  return std::optional<host::OwnUser>(*std::move(own));
}

/// Removes what a killed run has left. Some processes of the run end shortly after the killed
/// process, so the removal is tried several times. If the run is still alive, nothing is removed.
host::Swept sweep_until_gone(const std::string& run) {
  constexpr int kLooks = 10;
  host::Swept swept;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    swept = host::sweep_dead_runs(host::base_directories());
    bool there = false;
    for (const std::string& base : host::base_directories())
      there |= std::filesystem::exists(base + "/" + run);
    if (!there) break;
  }
  return swept;
}

/// A real run, from its directory to its results.
class RealRun {
 public:
  /// `home`: nullopt if other hosts start all workers. `foresight`: nullptr if there is none.
  RealRun(const RunOptions& options, const Scenario& scenario, host::RunDirectory dir,
          std::optional<cgroup::Home> home, std::optional<host::OwnUser> user, std::string out,
          const Fd& lock, int signals, Foresight* foresight)
      : options_(options),
        scenario_(scenario),
        dir_(std::move(dir)),
        home_(std::move(home)),
        user_(std::move(user)),
        out_(std::move(out)),
        lock_(lock),
        signals_(signals),
        foresight_(foresight) {}

  int run() {
    ForeignCpu foreign;
    int status = run_processes();
    Result<void> left = remove_groups();
    if (!left) {
      status = fail(std::move(left).error().in("control groups are left; try heddle clean"));
    } else if (Result<void> gone = dir_.remove(); !gone) {
      status = fail(gone.error());
    }
    if (const Result<void> found = find_results(status); !found) {
      const int failure = fail(found.error());  // also of tasks that could not start
      return status == kExitInterrupted ? status : failure;
    }
    // The CPU use of workers that are not children of this process is unknown.
    return ::access(journal_path(out_).c_str(), F_OK) == 0
               ? finish(status, home_ ? foreign.share() : std::nullopt)
               : status;
  }

 private:
  /// Finds the directory of results if it was moved during the run. A run that came to its end has
  /// a journal and samples.
  Result<void> find_results(int status) {
    Result<std::string> place = present_path(lock_, out_);
    if (!place) return std::move(place).error();
    if (*place != out_) say("warning: the results were moved during the run, to " + *place);
    out_ = *std::move(place);
    for (const std::string& file : {journal_path(out_), samples_path(out_)})
      if (came_to_its_end(status) && ::access(file.c_str(), F_OK) != 0)
        return aborted_error(file + ": the file was removed during the run");
    return {};
  }

  int run_processes() {
    if (scenario_.policy.external) {
      Result<std::unique_ptr<PolicyLink>> started = start_policy();
      if (!started) return fail(started.error());
      policy_ = *std::move(started);
    }
    warm_up();
    SessionOptions options{.out = out_,
                           .cgroup = home_ ? home_->address : "",
                           .journal = options_.journal,
                           .screen = Screen::kind(options_.quiet),
                           .title = scenario_.name + "  " + policy_label(scenario_.policy),
                           .master_options = master_options(),
                           .worker_options = worker_options(),
                           .resume = options_.resume,
                           .bind = options_.bind,
                           .foresight = foresight_,
                           .containers_cpu_s = containers_cpu()};
    const auto began = std::chrono::steady_clock::now();
    const int status = status_or_fail(run_session(scenario_, dir_, options, signals_));
    took_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (foresight_) foresight_->stop();
    if (policy_) end_policy(status);
    return status;
  }

  Result<std::unique_ptr<PolicyLink>> start_policy() {
    // The run records its groups before it makes the first one.
    if (home_) HEDDLE_TRY(dir_.write({dir_.run(), home_->address, out_, {}}));
    return PolicyLink::start(options_.policy(), scenario_,
                             {&dir_, home_ ? home_->driver.get() : nullptr});
  }

  /// Returns a function that returns the CPU seconds of the run's containers. Before the first
  /// worker has made the run's group, they have used none.
  std::function<std::optional<double>()> containers_cpu() const {
    if (!home_) return {};
    return [this]() -> std::optional<double> {
      const Result<cgroup::CpuStats> stats =
          home_->driver->cpu_stats(cgroup::run_group(dir_.run()));
      if (!stats) return stats.error().code == ENOENT ? std::optional(0.0) : std::nullopt;
      const Result<cgroup::CpuStats> policy = home_->driver->cpu_stats(policy_group(dir_.run()));
      return std::chrono::duration<double>(stats->usage -
                                           (policy ? policy->usage : real::Duration(0)))
          .count();
    };
  }

  void end_policy(int status) {
    const std::optional<Error> ended = policy_->ended();
    if (ended && status == kExitAborted) say(ended->text);
    policy_cpu_s_ = policy_->end(out_);
    host::kill_orphans();
    policy_.reset();
  }

  std::vector<std::string> master_options() const {
    std::vector<std::string> words = {"--durability", options_.durability};
    if (options_.allow_commands) words.emplace_back("--allow-commands");
    if (policy_) {
      words.insert(words.end(), {"--policy-endpoint", policy_->endpoint()});
      if (const auto pid = policy_->pid())
        words.insert(words.end(), {"--policy-pid", std::to_string(*pid)});
    }
    if (!options_.keys.empty()) words.insert(words.end(), {"--keys", options_.keys});
    if (options_.patience)
      words.insert(words.end(), {"--patience", std::to_string(*options_.patience)});
    return words;
  }

  /// Lets a virtual machine get the nodes' memory from its host before tasks need it.
  void warm_up() const {
    if (!options_.bind.empty()) return;
    EmuBytes all(0);
    for (const NodeSpec& node : scenario_.cluster.nodes) all += node.capacity.memory;
    host::warm_memory(std::min(scenario_.scale().to_real(all), kMostWarm), kWarmUp, asked_to_stop);
  }

  std::vector<std::string> worker_options() const {
    if (!options_.allow_commands) return {};
    std::vector<std::string> words = {"--allow-commands", "--command-logs", out_ + "/logs",
                                      "--cover", out_};
    if (user_)
      words.insert(words.end(), {"--task-user", std::to_string(user_->user().uid)});
    else if (options_.task_user)
      words.insert(words.end(), {"--task-user", *options_.task_user});
    if (options_.allow_root_commands) words.push_back("--allow-root-commands");
    if (options_.allow_unisolated_commands) words.push_back("--allow-unisolated-commands");
    return words;
  }

  Result<void> remove_groups() {
    if (!home_) return {};
    Result<std::vector<cgroup::LeftGroup>> left =
        cgroup::remove_run(*home_->driver, dir_.run(), "", true, kGroupLimit);
    cgroup::leave_home(*home_);
    if (!left) return std::move(left).error();
    if (!left->empty()) return aborted_error(host::describe(*home_->driver, *left));
    return {};
  }

  int finish(int status, std::optional<double> foreign_cpu) {
    std::string version = !home_ ? "" : home_->version == cgroup::Version::kV1 ? "v1" : "v2";
    wire::Json record = host_record(version, foreign_cpu);
    if (home_) {
      record["cpu_weight"] = scenario_.emulation.cpu_weight;
      record["cpu_reach"] = home_->cpu_reach;
    }
    if (policy_cpu_s_) record["policy_cpu_s"] = *policy_cpu_s_;
    Result<void> appended = append_record(journal_path(out_), record);
    if (!appended) {
      int failure = fail(appended.error());
      if (came_to_its_end(status)) status = failure;
    }
    const Result<wire::Json> summary = report::summarise(scenario_, journal_path(out_));
    const wire::Json ended = summary ? summary->at("status") : wire::Json();
    if (came_to_its_end(status) && summary &&
        (ended.is_null() || ended == heddle::name_of(RunStatus::kAborted)))
      status = fail(aborted_error(journal_path(out_) +
                                  ": does not have the end of the run; it was replaced during the "
                                  "run, and these results are not whole"));
    if (came_to_its_end(status) && summary) compare_with_forecast(*summary);
    return write_results(options_, scenario_, out_, status, summary);
  }

  void compare_with_forecast(const wire::Json& summary) const {
    const Outlook* outlook = foresight_ ? foresight_->outlook() : nullptr;
    const wire::Json& makespan_s = summary.at("makespan_s");
    if (!outlook || !makespan_s.is_number()) return;
    const std::string line = comparison_line(*outlook, makespan_s.get<double>(), took_s_);
    if (!line.empty()) say(line);
  }

  const RunOptions& options_;
  const Scenario& scenario_;
  host::RunDirectory dir_;
  std::optional<cgroup::Home> home_;
  std::optional<host::OwnUser> user_;  ///< held until all processes of the run have ended
  std::string out_;
  const Fd& lock_;  ///< holds the directory of results open
  int signals_;
  Foresight* foresight_;
  double took_s_ = 0;                   ///< real time of the run's processes
  std::unique_ptr<PolicyLink> policy_;  ///< while the run has an external policy
  std::optional<double> policy_cpu_s_;
};

/// Returns a home for the groups of this run's workers. Before that, removes from it what dead runs
/// have left.
Result<cgroup::Home> take_home(const RunOptions& options, const host::RunDirectory& dir) {
  const auto note = [&](const std::string& directory) { return dir.note_home(directory); };
  Result<cgroup::Home> home = cgroup::find_home(options.cgroup, note);
  if (!home) return home;
  if (const Result<void> protect = cgroup::protect_this_process(*home, note); !protect)
    say("warning: other programs can delay the run: " + protect.error().text);
  host::Swept swept;
  host::sweep_stray_groups(*home->driver, host::base_directories(), swept);
  tell(swept, options.quiet);
  return home;
}

/// Makes what the run needs before its first process, such as its control groups, and then runs it.
/// After an error, removes what was made.
Result<int> make_and_run(const RunOptions& options, const Scenario& scenario,
                         const std::string& out, Result<host::RunDirectory> dir, int signals,
                         Foresight* foresight) {
  if (!dir) return std::move(dir).error();
  std::string path = dir->path();
  Result<std::optional<host::OwnUser>> user = take_own_user(options);
  if (!user) {
    (void)dir->remove();
    return std::move(user).error();
  }
  std::optional<cgroup::Home> home;
  if (options.bind.empty()) {
    Result<cgroup::Home> taken = take_home(options, *dir);
    if (!taken) {
      (void)dir->remove();
      return std::move(taken).error();
    }
    home = *std::move(taken);
  }
  Result<std::string> place = options.resume ? out : claim_out(out, options.out.empty());
  Result<Fd> lock = place ? lock_out(*place) : place.error();
  Result<void> made = lock ? Result<void>() : lock.error();
  if (made && !options.resume) made = make_out(*place, scenario, "real");
  if (made && asked_to_stop()) made = aborted_error("interrupted");
  if (!made) {
    if (home) cgroup::leave_home(*home);
    (void)dir->remove();
    return std::move(made).error();
  }
  std::string absolute = std::filesystem::absolute(*place);
  return RealRun(options, scenario, *std::move(dir), std::move(home), *std::move(user), absolute,
                 *lock, signals, foresight)
      .run();
}

/// Says if other programs use this machine, unless other hosts run the workers.
void warn_of_load(const RunOptions& options) {
  if (options.quiet || !options.bind.empty()) return;
  if (const std::string warning = load_warning(look_at_load()); !warning.empty()) say(warning);
}

/// Checks that this machine can run the workers, unless other hosts run them.
Result<void> check_machine(const RunOptions& options, const Scenario& scenario) {
  return options.bind.empty() ? check_node_count(scenario, host_limits()) : Result<void>();
}

/// Removes what dead runs have left, then runs. `resumed`: id of the run to resume, or "" for a new
/// run. `foresight`: nullptr if there is none.
Result<int> clean_and_run(const RunOptions& options, const Scenario& scenario,
                          const std::string& out, const std::string& resumed,
                          Foresight* foresight) {
  Fd signals = take_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  host::adopt_orphans();
  const std::vector<std::string> bases = host::base_directories();
  tell(resumed.empty() ? host::sweep_dead_runs(bases) : sweep_until_gone(resumed), options.quiet);
  Result<int> status =
      make_and_run(options, scenario, out,
                   resumed.empty() ? host::RunDirectory::create(bases.front())
                                   : host::RunDirectory::create_again(bases.front(), resumed),
                   signals.get(), foresight);
  if (status) return status;
  const int failed = fail(status.error());
  return asked_to_stop() ? kExitInterrupted : failed;
}

}  // namespace

int write_results(const RunOptions& options, const Scenario& scenario, const std::string& out,
                  int status, Result<wire::Json> summary) {
  if (const auto price = report::parse_price(options.price); price && summary)
    report::add_cost(*summary, *price);
  Result<void> written = summary ? replace_file(summary_path(out), summary->dump(2) + "\n")
                                 : Result<void>(summary.error());
  if (!written) {
    const int failure = fail(written.error());
    return came_to_its_end(status) ? failure : status;
  }
  print_summary(*summary, out, options.json);
  if (const Result<void> listed = report::end_manifest(out); !listed) {
    const int failure = fail(listed.error());
    return came_to_its_end(status) ? failure : status;
  }
  if (options.journal == "none") return status;
  const bool on_demand = options.derived.empty() && summary->at("mode") == "simulated";
  const bool later = on_demand || options.derived == "later";
  std::optional<DerivedFiles> files;
  if (!later) files = DerivedFiles::kAll;
  if (later && options.open) files = DerivedFiles::kPage;
  if (on_demand && !options.quiet && (is_large(scenario) || ::isatty(STDERR_FILENO) == 1))
    say_made_later(out, files);
  if (!files) return status;
  const int ended = derive_at_end(out, scenario, *files, status, options.quiet);
  const std::string page = out + "/" + kPageFile;
  if (options.open && ended != kExitInterrupted && ::access(page.c_str(), F_OK) == 0)
    open_in_browser(page);
  return ended;
}

Result<int> run_command(const RunOptions& options) {
  // All checks are made before there is anything to clean up. During the checks, Ctrl-C ends this
  // process in the default way.
  HEDDLE_TRY(check_hosts(options));
  if (!options.dry_run) HEDDLE_TRY(enter_scope(options));
  host::raise_file_limit();
  Result<Scenario> scenario = options.bind.empty()
                                  ? prepare_scenario(options.scenario, options.overrides)
                                  : prepare_stated(options.scenario, options.overrides);
  if (!scenario) return std::move(scenario).error();
  if (options.dry_run) return print_forecast(options, *scenario);
  HEDDLE_TRY(check_runnable(options, *scenario));
  HEDDLE_TRY(settle_policy(options.policy(), *scenario));
  HEDDLE_TRY(check_own_options(options.policy(), *scenario));
  HEDDLE_TRY(check_machine(options, *scenario));
  if (options.bind.empty()) HEDDLE_TRY(set_scope_weight(*scenario));
  Result<std::string> out = usable_out(options.out, *scenario);
  if (!out) return std::move(out).error();
  warn_of_load(options);
  const std::unique_ptr<Foresight> foresight = foresee(options, *scenario);
  return clean_and_run(options, *scenario, *out, "", foresight.get());
}

Result<int> resume_command(const RunOptions& given) {
  RunOptions options = given;
  options.resume = true;
  options.out = std::exchange(options.scenario, scenario_path(given.scenario));
  HEDDLE_TRY(check_hosts(options));
  HEDDLE_TRY(enter_scope(options));
  host::raise_file_limit();
  Result<Scenario> scenario = unchecked_scenario_of(options.out);  // a run that has not ended
  if (!scenario) return std::move(scenario).error();
  Result<PastRun> past = past_run(options.out, *scenario);
  if (!past) return std::move(past).error();
  options.journal = past->journal;
  HEDDLE_TRY(check_runnable(options, *scenario));
  HEDDLE_TRY(settle_policy(options.policy(), *scenario));
  HEDDLE_TRY(check_machine(options, *scenario));
  if (options.bind.empty()) HEDDLE_TRY(set_scope_weight(*scenario));
  return clean_and_run(options, *scenario, options.out, past->run, nullptr);
}

}  // namespace heddle::cli
