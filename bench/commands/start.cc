#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>

#include "bench/commands/commands.h"
#include "bench/start_bench.h"
#include "cli/base/children.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/run/session.h"
#include "common/file.h"
#include "common/proc_files.h"
#include "common/result_files.h"
#include "core/scenario/yaml/writer.h"
#include "host/scratch_directory.h"

namespace heddle::bench {
namespace {

using namespace std::chrono_literals;
using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr auto kLook = 50ms;
/// Longest that a start may take: so long, and for each node …
constexpr auto kStartPatience = 60s;
constexpr auto kPatienceOfEach = 200ms;
/// Longest that an end may.
constexpr auto kStopPatience = 60s;
constexpr int kLinesTold = 20;  ///< lines of what a run said that are told

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The run's clock runs: its last worker has registered.
bool all_registered(const std::string& out) {
  Result<std::string> journal = read_file(journal_path(out));
  return journal && journal->find("\"node_registered\"") != std::string::npos;
}

/// `heddle run` of the scenario in a directory.
Result<cli::Child> start_run(const StartBenchOptions& options, const std::string& dir) {
  std::vector<std::string> words = {
      cli::beside_us("heddle"), "run",     dir + "/scenario.yaml", "--out", dir + "/out",
      "--no-derived",           "--quiet",
  };
  if (options.cgroup) words.insert(words.end(), {"--cgroup", *options.cgroup});
  return cli::Child::spawn(words, STDIN_FILENO);
}

/// A run that we started, killed at the latest when this goes.
class Run {
 public:
  explicit Run(cli::Child child) : child_(std::move(child)) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    // Its processes die with it, and `heddle clean` finds the rest.
    child_.signal(SIGKILL);
    child_.wait();
  }

  bool ended() { return child_.reap() || !child_.running(); }
  Error why() const { return machine_error(cli::words_of(child_, kLinesTold)); }

  /// Seconds until it has ended after an interrupt.
  Result<double> interrupt() {
    const auto begin = Clock::now();
    child_.signal(SIGINT);
    pollfd item{child_.pidfd(), POLLIN, 0};
    const auto limit = std::chrono::milliseconds(kStopPatience).count();
    if (::poll(&item, 1, static_cast<int>(limit)) != 1 || !child_.reap())
      return aborted_error("a run did not end within a minute of an interrupt");
    return seconds_since(begin);
  }

 private:
  cli::Child child_;
};

class StartBench {
 public:
  StartBench(const StartBenchOptions& options, const host::ScratchDirectory& scratch, int signals)
      : options_(options), scratch_(scratch), signals_(signals) {}

  Result<std::vector<Json>> measure_all() {
    std::vector<Json> rows;
    for (int nodes : options_.nodes) {
      const std::string title = std::to_string(nodes) + " nodes";
      cli::say(title);
      Result<Json> row = measure(nodes);
      if (!row) return std::move(row).error().in(title);
      rows.push_back(*std::move(row));
    }
    return rows;
  }

 private:
  Result<Json> measure(int nodes) {
    StartMeasured measured;
    HEDDLE_TRY(measure_whole(nodes, measured));
    HEDDLE_TRY(measure_half(nodes, measured));
    return start_row(nodes, measured);
  }

  Result<void> measure_whole(int nodes, StartMeasured& measured) {
    Result<std::string> dir = make(nodes);
    if (!dir) return std::move(dir).error();
    Result<HostUse> before = host_use();
    if (!before) return std::move(before).error();
    const auto begin = Clock::now();
    Result<cli::Child> child = start_run(options_, *dir);
    if (!child) return std::move(child).error();
    Run run(*std::move(child));
    while (!all_registered(*dir + "/out")) {
      HEDDLE_TRY(pause(kLook));
      if (run.ended()) return run.why();
      if (Clock::now() - begin > kStartPatience + kPatienceOfEach * nodes)
        return aborted_error("not all workers came");
    }
    measured.start_s = seconds_since(begin);
    Result<HostUse> after = host_use();
    if (!after) return std::move(after).error();
    measured.memory_mib =
        static_cast<double>(after->memory.count() - before->memory.count()) / (1 << 20);
    return take_end(run, measured.end_s);
  }

  /// REQUIRES: the whole start was measured.
  Result<void> measure_half(int nodes, StartMeasured& measured) {
    Result<std::string> dir = make(nodes);
    if (!dir) return std::move(dir).error();
    Result<cli::Child> child = start_run(options_, *dir);
    if (!child) return std::move(child).error();
    Run run(*std::move(child));
    HEDDLE_TRY(pause(std::chrono::milliseconds(std::llround(measured.start_s * 500))));
    if (run.ended()) return run.why();
    return take_end(run, measured.early_end_s);
  }

  static Result<void> take_end(Run& run, double& seconds) {
    Result<double> end = run.interrupt();
    if (!end) return std::move(end).error();
    seconds = *end;
    return {};
  }

  /// A directory with the scenario.
  Result<std::string> make(int nodes) {
    const std::string dir = scratch_ / std::to_string(++runs_);
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) return system_error("make directory " + dir, error.value());
    HEDDLE_TRY(replace_file(dir + "/scenario.yaml", write_scenario(start_scenario(nodes))));
    return dir;
  }

  Result<void> pause(std::chrono::milliseconds length) const {
    pollfd item{signals_, POLLIN, 0};
    ::poll(&item, 1, static_cast<int>(length.count()));
    if (cli::asked_to_stop()) return aborted_error("interrupted");
    return {};
  }

  const StartBenchOptions& options_;
  const host::ScratchDirectory& scratch_;
  int signals_;
  int runs_ = 0;
};

}  // namespace

int start_bench_command(const StartBenchOptions& asked) {
  StartBenchOptions options = asked;
  if (options.quick) options.nodes = {20};
  Fd signals = cli::take_signals();
  if (!signals) return cli::fail(system_error("make a signal descriptor", errno));
  Result<host::ScratchDirectory> scratch = host::ScratchDirectory::create();
  if (!scratch) return cli::fail(scratch.error());
  Result<std::vector<Json>> rows = StartBench(options, *scratch, signals.get()).measure_all();
  if (!rows) return bench_failed(rows.error());
  return print_bench(start_results(*std::move(rows)), options.json, format_start_results);
}

}  // namespace heddle::bench
