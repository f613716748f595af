#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>

#include "bench/commands/commands.h"
#include "bench/commands/measuring.h"
#include "bench/start_bench.h"
#include "cli/run/session.h"
#include "common/file.h"
#include "common/installed.h"
#include "common/proc_files.h"
#include "common/result_files.h"
#include "core/scenario/yaml/writer.h"

namespace heddle::bench {
namespace {

using namespace std::chrono_literals;
using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr auto kLook = 50ms;
/// Longest time that a start is allowed to take. The limit is kStartPatience plus kPatienceOfEach
/// for each node.
constexpr auto kStartPatience = 60s;
constexpr auto kPatienceOfEach = 200ms;
/// Longest time that the end of a run is allowed to take.
constexpr auto kStopPatience = 60s;
constexpr int kLinesTold = 20;  ///< lines of a run's output that an error shows

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Returns whether the run's clock is running, that is, the last worker has registered.
bool all_registered(const std::string& out) {
  Result<std::string> journal = read_file(journal_path(out));
  return journal && journal->find("\"node_registered\"") != std::string::npos;
}

/// Starts `heddle run` for the scenario in a directory. If the run is killed early, its processes
/// die with it, and `heddle clean` removes what they leave.
Result<host::Child> start_run(const StartBenchOptions& options, const std::string& dir) {
  std::vector<std::string> words = {
      program_path("heddle"), "run",     dir + "/scenario.yaml", "--out", dir + "/out",
      "--derived=later",      "--quiet",
  };
  if (options.cgroup) words.insert(words.end(), {"--cgroup", *options.cgroup});
  return host::Child::spawn(words, STDIN_FILENO);
}

/// Interrupts the run. Sets `seconds` to the time until it has ended.
Result<void> interrupt(Ending& run, double& seconds) {
  const auto begin = Clock::now();
  run->signal(SIGINT);
  pollfd item{run->pidfd(), POLLIN, 0};
  const auto limit = std::chrono::milliseconds(kStopPatience).count();
  if (::poll(&item, 1, static_cast<int>(limit)) != 1 || !run->reap())
    return aborted_error("a run did not end within a minute of an interrupt");
  seconds = seconds_since(begin);
  return {};
}

class StartBench {
 public:
  StartBench(const StartBenchOptions& options, Workbench& bench)
      : options_(options), bench_(bench) {}

  Result<Json> measure(int nodes) {
    StartMeasured measured;
    HEDDLE_TRY(measure_whole(nodes, measured));
    HEDDLE_TRY(measure_half(nodes, measured));
    return start_row(nodes, measured);
  }

 private:
  Result<void> measure_whole(int nodes, StartMeasured& measured) {
    Result<std::string> dir = make(nodes);
    if (!dir) return std::move(dir).error();
    Result<HostUse> before = host_use();
    if (!before) return std::move(before).error();
    const auto begin = Clock::now();
    Result<host::Child> child = start_run(options_, *dir);
    if (!child) return std::move(child).error();
    Ending run(*std::move(child), SIGKILL, 0ms);
    while (!all_registered(*dir + "/out")) {
      HEDDLE_TRY(bench_.pause(kLook));
      if (run.ended()) return machine_error(host::words_of(*run, kLinesTold));
      if (Clock::now() - begin > kStartPatience + kPatienceOfEach * nodes)
        return aborted_error("not all workers registered in time");
    }
    measured.start_s = seconds_since(begin);
    Result<HostUse> after = host_use();
    if (!after) return std::move(after).error();
    measured.memory_mib =
        static_cast<double>(after->memory.count() - before->memory.count()) / (1 << 20);
    return interrupt(run, measured.end_s);
  }

  /// Interrupts a run after half of its start. REQUIRES: the whole start was measured.
  Result<void> measure_half(int nodes, StartMeasured& measured) {
    Result<std::string> dir = make(nodes);
    if (!dir) return std::move(dir).error();
    Result<host::Child> child = start_run(options_, *dir);
    if (!child) return std::move(child).error();
    Ending run(*std::move(child), SIGKILL, 0ms);
    HEDDLE_TRY(bench_.pause(std::chrono::milliseconds(std::llround(measured.start_s * 500))));
    if (run.ended()) return machine_error(host::words_of(*run, kLinesTold));
    return interrupt(run, measured.early_end_s);
  }

  /// Makes a directory with the scenario.
  Result<std::string> make(int nodes) {
    const std::string dir = bench_.new_path();
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    if (error) return system_error("make directory " + dir, error.value());
    HEDDLE_TRY(replace_file(dir + "/scenario.yaml", write_scenario(start_scenario(nodes))));
    return dir;
  }

  const StartBenchOptions& options_;
  Workbench& bench_;
};

}  // namespace

int start_bench_command(const StartBenchOptions& asked) {
  StartBenchOptions options = asked;
  if (options.quick) options.nodes = {20};
  Result<Workbench> workbench = Workbench::set_up();
  if (!workbench) return cli::fail(workbench.error());
  StartBench bench(options, *workbench);
  const auto rows = measure_each(
      options.nodes, [](int nodes) { return std::to_string(nodes) + " nodes"; },
      [&](int nodes) { return bench.measure(nodes); });
  return print_rows(rows, start_results, options.json, format_start_results);
}

}  // namespace heddle::bench
