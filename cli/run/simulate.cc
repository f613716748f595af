#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/display/screen.h"
#include "cli/results/results.h"
#include "cli/run/host.h"
#include "cli/run/line_writer.h"
#include "cli/run/prepare.h"
#include "cli/run/run.h"
#include "common/directory.h"
#include "common/result_files.h"
#include "common/sync_names.h"
#include "core/policy/own_options.h"
#include "core/scenario/usage.h"
#include "master/journal.h"
#include "report/simulated.h"
#include "sim/simulation.h"
#include "wire/progress.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Number of steps between two checks of signals, files and the screen. These steps take a few
/// milliseconds.
constexpr std::int64_t kTurns = 2000;
constexpr std::chrono::milliseconds kShowAfter{500}, kShowEvery{200};
/// Showing progress takes at most this part (1/n) of the time.
constexpr int kShowShare = 50;

/// Returns how long the task sleeps and computes on average, in emulated microseconds, if nothing
/// slows it down.
double time_of(const TaskSpec& task, Millicores cores) {
  if (!task.usage.empty()) return static_cast<double>(task.usage.back().at.count());
  return task.sleep.mean + task.cpu.mean / threads_of(task, cores) + task.pauses * task.pause.mean;
}

/// Returns whether the simulation has so many heartbeats that a sample of each would be too much,
/// as far as the times of submissions and of single tasks show.
bool has_many_heartbeats(const Scenario& scenario) {
  constexpr double kMany = 2'000'000;
  double last = 0;
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      for (int i = 0; i < std::max(static_cast<int>(phase.each.size()), 1); ++i)
        last = std::max(last, static_cast<double>(job.submit.count()) +
                                  time_of(phase.task(i), phase.request.cores));
  return last / static_cast<double>(scenario.cluster.heartbeat.count()) *
             static_cast<double>(scenario.cluster.nodes.size()) >
         kMany;
}

/// A simulated run, from its first line to its results.
class SimulatedRun {
 public:
  /// Files that grow while the run is made; null if it has none.
  struct Files {
    std::unique_ptr<LineWriter> journal, samples;
  };
  /// `lock` holds the directory `out` open.
  SimulatedRun(const RunOptions& options, const Scenario& scenario, std::string out, const Fd& lock,
               Files files, PolicyLink* policy, std::optional<sim::CountedForm> counted)
      : options_(options),
        scenario_(scenario),
        out_(std::move(out)),
        lock_(lock),
        files_(std::move(files)),
        policy_(policy),
        observer_(scenario, nullptr, counted.has_value()),
        simulation_(std::in_place, scenario,
                    sim::Simulation::Options{
                        .journal_heartbeats = options.journal == "full",
                        .stopwatch = [] { return Clock::now().time_since_epoch(); },
                        .observer = &observer_,
                        .thin_samples = is_large(scenario) || has_many_heartbeats(scenario),
                        .counted = std::move(counted),
                        .ask = ask(policy),
                        .farewell = farewell(policy)},
                    sink(files_.journal.get()), sink(files_.samples.get())) {}

  int run() {
    simulate();
    if (policy_) {
      policy_cpu_s_ = policy_->end(out_);
      host::kill_orphans();
    }
    // The samples are on the disk before the last line of the journal is written. Therefore a
    // journal with an end has all samples beside it even after a power failure.
    for (LineWriter* file : {files_.samples.get(), files_.journal.get()})
      if (file) file->finish();
    int status = static_cast<int>(simulation_->status());
    if (const std::optional<Error> error = failure()) status = fail(*error);
    observer_.add(host_record("", std::nullopt));
    observer_.add(end());
    simulation_.reset();  // the summary of a long log takes as much memory
    const Result<std::string> place = present_path(lock_, out_);
    if (!place) {
      const int failure = fail(place.error());
      return came_to_its_end(status) ? failure : status;
    }
    if (*place != out_) say("warning: the results were moved during the simulation, to " + *place);
    return write_results(options_, scenario_, *place, status, observer_.summary());
  }

 private:
  static sim::Simulation::Sink sink(LineWriter* file) {
    if (!file) return nullptr;
    return [file](std::string_view lines) { file->append(lines); };
  }

  static sim::Simulation::Ask ask(PolicyLink* policy) {
    if (!policy) return nullptr;
    return [policy](const std::string& request) { return policy->ask(request); };
  }

  static std::function<void(const std::string&)> farewell(PolicyLink* policy) {
    if (!policy) return nullptr;
    return [policy](const std::string& text) { policy->farewell(text); };
  }

  std::optional<Error> failure() const {
    for (const LineWriter* file : {files_.journal.get(), files_.samples.get()})
      if (std::optional<Error> failure = file ? file->failure() : std::nullopt) return failure;
    return std::nullopt;
  }

  void simulate() {
    const bool shows = Screen::kind(options_.quiet) == Screen::Kind::kBlock;
    Screen screen(shows ? Screen::Kind::kBlock : Screen::Kind::kNone,
                  scenario_.name + "  " + policy_label(scenario_.policy) + "  simulated");
    Clock::time_point show = start_ + kShowAfter;
    while (simulation_->advance(kTurns)) {
      if (asked_to_stop()) simulation_->stop(RunStatus::kInterrupted, "interrupted");
      if (const std::optional<Error> error = failure())
        simulation_->stop(RunStatus::kAborted, error->text);
      const Clock::time_point now = Clock::now();
      if (!shows || now < show) continue;
      wire::Progress progress = wire::progress_of(simulation_->state(), simulation_->now());
      progress.nodes.clear();  // nodes change too fast to be read
      screen.show(progress, now);
      // With many jobs and nodes, this took longer than the steps in between.
      show = now + std::max<Clock::duration>(kShowEvery, kShowShare * (Clock::now() - now));
    }
  }

  wire::Json end() const {
    const std::chrono::duration<double> wall_s = Clock::now() - start_;
    wire::Json record = report::end_with_cost(*simulation_, our_cpu_s(), wall_s.count());
    if (policy_cpu_s_) record["overhead"]["policy_cpu_s"] = *policy_cpu_s_;
    return record;
  }

  const RunOptions& options_;
  const Scenario& scenario_;
  std::string out_;
  const Fd& lock_;
  Files files_;
  PolicyLink* policy_;  ///< nullptr if Heddle decides
  report::SummaryObserver observer_;
  std::optional<double> policy_cpu_s_;
  Clock::time_point start_ = Clock::now();
  std::optional<sim::Simulation> simulation_;  ///< until the summary is made
};

Result<std::unique_ptr<LineWriter>> make_writer(const std::string& path, LineWriter::Form form) {
  Result<master::Journal> file = master::Journal::create(path);
  if (!file) return std::move(file).error();
  return std::make_unique<LineWriter>(std::make_unique<master::Journal>(*std::move(file)), form);
}

Result<int> make_and_run(const RunOptions& options, const Scenario& scenario,
                         const std::string& wanted) {
  std::unique_ptr<PolicyLink> policy;
  if (scenario.policy.external) {
    host::adopt_orphans();
    Result<std::unique_ptr<PolicyLink>> started = PolicyLink::start(options.policy(), scenario);
    if (!started) return std::move(started).error();
    policy = *std::move(started);
  }
  const Result<std::string> claimed = claim_out(wanted, options.out.empty());
  if (!claimed) return claimed.error();
  const std::string& out = *claimed;
  const Result<Fd> lock = lock_out(out);
  if (!lock) return lock.error();
  HEDDLE_TRY(make_out(out, scenario, "simulated"));
  std::optional<sim::CountedForm> counted = sim::counted_form(scenario);
  const bool large = is_large(scenario);
  if (options.journal == "none")
    return SimulatedRun(options, scenario, out, *lock, {}, policy.get(), std::move(counted)).run();
  Result<std::unique_ptr<LineWriter>> journal =
      make_writer(large ? compressed_journal_path(out) : journal_path(out),
                  large ? LineWriter::Form::kCompressedJournal : LineWriter::Form::kJournal);
  if (!journal) return std::move(journal).error();
  Result<std::unique_ptr<LineWriter>> samples =
      make_writer(samples_path(out), LineWriter::Form::kPlain);
  if (!samples) return std::move(samples).error();
  // Otherwise a power failure could leave the journal without the samples.
  const Result<Directory> directory = Directory::open(out);
  if (!directory) return directory.error();
  HEDDLE_TRY(sync_names(*directory));
  return SimulatedRun(options, scenario, out, *lock, {*std::move(journal), *std::move(samples)},
                      policy.get(), std::move(counted))
      .run();
}

}  // namespace

Result<int> simulate_command(const RunOptions& options) {
  if (options.open && options.journal == "none")
    return usage_error(
        "--open and --journal none cannot be used together; the page is made from the journal");
  Result<Scenario> scenario = prepare_simulated(options.scenario, options.overrides);
  if (!scenario) return std::move(scenario).error();
  HEDDLE_TRY(settle_policy(options.policy(), *scenario));
  Result<std::string> out = usable_out(options.out, *scenario);
  if (!out) return std::move(out).error();
  Fd signals = take_signals();
  return make_and_run(options, *scenario, *out);
}

}  // namespace heddle::cli
