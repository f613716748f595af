#include <chrono>

#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/display/screen.h"
#include "cli/results/results.h"
#include "cli/run/host.h"
#include "cli/run/prepare.h"
#include "cli/run/run.h"
#include "common/result_files.h"
#include "core/policy/registry.h"
#include "master/journal.h"
#include "sim/simulation.h"
#include "wire/line_checksums.h"
#include "wire/progress.h"
#include "wire/values.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Number of steps between two checks of signals, files and the screen. These steps take a few
/// milliseconds.
constexpr std::int64_t kTurns = 2000;
constexpr std::chrono::milliseconds kShowAfter{500}, kShowEvery{200};

/// Writes lines to a file. Writes many lines with one system call, because no reader waits for
/// them.
class Lines {
 public:
  /// `sealed`: each line gets a checksum.
  Lines(master::Journal file, bool sealed) : file_(std::move(file)), sealed_(sealed) {}

  void append(std::string_view lines) {
    buffer_ += lines;
    if (buffer_.size() >= kEnough) flush();
  }
  void flush() {
    if (sealed_) buffer_ = checksums_.seal(buffer_);
    if (!failure_)
      if (Result<void> written = file_.append(buffer_); !written) failure_ = written.error();
    buffer_.clear();
  }
  /// Returns why the file could not be written.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  static constexpr std::size_t kEnough = 1 << 18;
  master::Journal file_;
  bool sealed_;
  wire::LineChecksums checksums_;
  std::string buffer_;
  std::optional<Error> failure_;
};

/// A simulated run, from its first line to its results.
class SimulatedRun {
 public:
  SimulatedRun(const RunOptions& options, const Scenario& scenario, std::string out, Lines journal,
               Lines samples)
      : options_(options),
        scenario_(scenario),
        out_(std::move(out)),
        journal_(std::move(journal)),
        samples_(std::move(samples)),
        simulation_(
            scenario, {options.journal == "full", [] { return Clock::now().time_since_epoch(); }},
            [this](std::string_view lines) { journal_.append(lines); },
            [this](std::string_view lines) { samples_.append(lines); }) {}

  int run() {
    simulate();
    journal_.flush();
    samples_.flush();
    int status = static_cast<int>(simulation_.status());
    if (const Error* error = failure()) status = fail(*error);
    const wire::Json records[] = {host_record("", std::nullopt), end()};
    return write_results(options_, scenario_, out_, status, records);
  }

 private:
  const Error* failure() const {
    for (const Lines* file : {&journal_, &samples_})
      if (file->failure()) return &*file->failure();
    return nullptr;
  }

  void simulate() {
    Screen screen(Screen::kind(options_.quiet) == Screen::Kind::kBlock ? Screen::Kind::kBlock
                                                                       : Screen::Kind::kNone,
                  scenario_.name + "  " + policy_text(scenario_.policy) + "  simulated");
    Clock::time_point shown = start_ + kShowAfter - kShowEvery;
    while (simulation_.go_on(kTurns)) {
      if (asked_to_stop()) simulation_.stop(RunStatus::kInterrupted, "interrupted");
      if (const Error* error = failure()) simulation_.stop(RunStatus::kAborted, error->text);
      Clock::time_point now = Clock::now();
      if (now - shown < kShowEvery) continue;
      shown = now;
      wire::Progress progress = wire::progress_of(simulation_.state(), simulation_.now());
      progress.nodes.clear();  // nodes change too fast to be read
      screen.show(progress, now);
    }
  }

  /// Returns the journal's last record, with the cost of the run added. The journal itself must not
  /// contain the cost.
  wire::Json end() const {
    const std::vector<double>& us = simulation_.decision_us();
    double wall_s = std::chrono::duration<double>(Clock::now() - start_).count();
    return {{"type", "end"},
            {"status", name_of(simulation_.status())},
            {"reason", simulation_.reason()},
            {"t", to_seconds(simulation_.now())},
            {"overhead",
             {{"master_cpu_s", our_cpu_s()},
              {"wall_s", wall_s},
              {"decisions", us.size()},
              {"decision_us", wire::percentiles(us)}}}};
  }

  const RunOptions& options_;
  const Scenario& scenario_;
  std::string out_;
  Lines journal_, samples_;
  Clock::time_point start_ = Clock::now();
  sim::Simulation simulation_;
};

Result<int> make_and_run(const RunOptions& options, const Scenario& scenario,
                         const std::string& wanted) {
  const Result<std::string> claimed = claim_out(wanted, options.out.empty());
  if (!claimed) return claimed.error();
  const std::string& out = *claimed;
  HEDDLE_TRY(make_out(out, scenario));
  Result<master::Journal> journal = master::Journal::create(journal_path(out));
  if (!journal) return std::move(journal).error();
  Result<master::Journal> samples = master::Journal::create(samples_path(out));
  if (!samples) return std::move(samples).error();
  return SimulatedRun(options, scenario, out, Lines(*std::move(journal), true),
                      Lines(*std::move(samples), false))
      .run();
}

}  // namespace

Result<int> simulate_command(const RunOptions& options) {
  Result<Scenario> scenario = prepare_simulated(options.scenario, options.overrides);
  if (!scenario) return std::move(scenario).error();
  Result<std::string> out = usable_out(options.out, *scenario);
  if (!out) return std::move(out).error();
  Fd signals = take_signals();
  return make_and_run(options, *scenario, *out);
}

}  // namespace heddle::cli
