#include <cerrno>

#include "bench/commands/commands.h"
#include "bench/commands/worker.h"
#include "bench/suspend_bench.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/run/session.h"
#include "common/installed.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr int kQuickTimes = 20;
constexpr int kMostSuspended = 16;
constexpr double kFraction = 0.1;

Result<Json> measure_all(int times, const SuspendBenchOptions& options, int signals) {
  Result<std::unique_ptr<BenchPlace>> place = BenchPlace::make(options.cgroup, signals);
  if (!place) return std::move(place).error();
  Result<std::unique_ptr<BareWay>> bare = BareWay::create(program_path("heddle-task"));
  if (!bare) return std::move(bare).error();
  std::int64_t next_id = kBurners + 1;
  std::vector<Json> bare_rows, rows;
  std::unique_ptr<BenchWorker> worker;
  for (const SuspendCase& one : suspend_cases()) {
    if (!one.launching) {
      cli::say(std::string("suspend with ") +
               (one.with == SuspendWith::kSignal ? "signals" : "the freezer") +
               (one.throttled ? ", throttled" : ", paced"));
      worker.reset();
      Result<Json> row = measure_bare_suspends(**bare, times, next_id, cli::asked_to_stop);
      if (!row) return row;
      bare_rows.push_back(*std::move(row));
      auto next = BenchWorker::start(
          **place, suspend_node(one, bench_node(kBurners, kFraction, kMostSuspended)));
      if (!next) return std::move(next).error();
      worker = *std::move(next);
      HEDDLE_TRY(start_burners(worker->master()));
    }
    Result<Json> row = measure_suspends(worker->master(), one, times, next_id);
    if (!row) return row;
    rows.push_back(*std::move(row));
  }
  return suspend_results(bare_rows, std::move(rows));
}

}  // namespace

int suspend_bench_command(const SuspendBenchOptions& options) {
  Fd signals = cli::take_signals();
  if (!signals) return cli::fail(system_error("make a signal descriptor", errno));
  Result<Json> results =
      measure_all(options.quick ? kQuickTimes : options.times, options, signals.get());
  return print_bench(results, options.json, format_suspend_results);
}

}  // namespace heddle::bench
