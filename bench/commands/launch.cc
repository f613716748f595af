#include <cerrno>

#include "bench/commands/commands.h"
#include "bench/commands/worker.h"
#include "bench/launch_bench.h"
#include "bench/launch_costs.h"
#include "bench/peers.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/run/session.h"
#include "common/installed.h"
#include "common/own_usage.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr char kGroupWay[] = "groups";
/// Number of launches before the measurement. They make the pages and groups, which later launches
/// use again.
constexpr int kWarmUp = 16;
constexpr int kMost = 64;
/// Number of concurrent tasks while the CPU time of launches is measured.
constexpr int kCostsAtOnce = 4;

struct NamedWay {
  std::string name;
  MeasureLaunches measure;
};

/// The ways whose CPU time is measured part by part.
struct CostedWays {
  BareWay& bare;
  GroupWay& groups;
  WorkerWay& heddle;
  pid_t worker;
};

/// Measures the CPU time that a launch takes, part by part, with `count` tasks in each way.
Result<Json> measure_parts(const CostedWays& ways, const std::string& journal, int count,
                           std::int64_t& next_id) {
  const auto run = [&](LaunchWay& way) -> Result<void> {
    Result<Json> row = measure_launches("", way, kCostsAtOnce, count, next_id);
    if (cli::asked_to_stop()) return aborted_error("interrupted");
    return row ? Result<void>() : std::move(row).error();
  };
  const LaunchCpu bare = ways.bare.cpu(), groups = ways.groups.cpu();
  HEDDLE_TRY(run(ways.bare));
  HEDDLE_TRY(run(ways.groups));
  LaunchCosts costs;
  costs.bare = per_launch(bare, ways.bare.cpu(), count);
  costs.groups = per_launch(groups, ways.groups.cpu(), count);
  const double master = own_cpu_s();
  Result<double> worker = cpu_s_of(ways.worker);
  if (!worker) return std::move(worker).error();
  HEDDLE_TRY(run(ways.heddle));
  Result<double> worker_after = cpu_s_of(ways.worker);
  if (!worker_after) return std::move(worker_after).error();
  costs.worker = (*worker_after - *worker) / count;
  costs.master = (own_cpu_s() - master) / count;
  HEDDLE_TRY(put(journal_cpu_s(journal, count), costs.journal));
  return launch_parts(costs);
}

/// Measures one round. For each number of concurrent tasks, measures all ways immediately after
/// each other.
Result<std::vector<Json>> measure_round(const LaunchBenchOptions& options,
                                        const std::vector<NamedWay>& ways) {
  std::vector<Json> rows;
  for (int at_once : options.at_once) {
    for (const auto& [name, measure] : ways) {
      Result<Json> row = measure(at_once, options.tasks);
      if (cli::asked_to_stop()) return aborted_error("interrupted");
      if (!row) return std::move(row).error().in(name);
      rows.push_back(*std::move(row));
    }
  }
  add_ratios(rows);
  return rows;
}

Result<Json> measure_all(const LaunchBenchOptions& options, int signals) {
  Result<std::unique_ptr<BenchPlace>> place = BenchPlace::make(options.cgroup, signals);
  if (!place) return std::move(place).error();
  // Each container has a whole CPU, so that no quota slows down its start.
  const wire::Welcome node = bench_node(kMost, 1, kMost);
  const std::string task = program_path("heddle-task");
  Result<std::unique_ptr<BareWay>> bare = BareWay::create(task);
  if (!bare) return std::move(bare).error();
  auto groups = GroupWay::create((*place)->driver(), (*place)->dir().run(), node, task);
  if (!groups) return std::move(groups).error();
  Result<std::unique_ptr<BenchWorker>> worker = BenchWorker::start(**place, node);
  if (!worker) return std::move(worker).error();
  WorkerWay heddle((*worker)->master());
  std::int64_t next_id = 1;
  std::vector<NamedWay> ways;
  auto add = [&](const char* name, LaunchWay& way) {
    ways.push_back({name, [name, &way, &next_id](int at_once, int count) {
                      return measure_launches(name, way, at_once, count, next_id);
                    }});
  };
  add(kBareWay, **bare);
  add(kGroupWay, **groups);
  add(kWorkerWay, heddle);
  for (const auto& [name, measure] : ways)
    if (Result<Json> row = measure(kWarmUp, kWarmUp); !row) return std::move(row).error().in(name);
  std::vector<LaunchPeer> peers;
  if (options.peers)
    peers = launch_peers({(*place)->driver(), (*place)->dir().run(), (*place)->dir().path(), task,
                          next_id, cli::asked_to_stop});
  std::vector<Json> notes;
  for (LaunchPeer& peer : peers) {
    // A program can be installed but still not work here.
    if (peer.measure)
      if (Result<Json> row = peer.measure(1, 1); !row) peer.note = row.error().text;
    if (peer.note.empty())
      ways.push_back({peer.name, peer.measure});
    else
      notes.push_back(launch_note(peer.name, peer.note));
  }
  std::vector<std::vector<Json>> rounds;
  for (int round = 1; round <= options.rounds; ++round) {
    cli::say("round " + std::to_string(round) + " of " + std::to_string(options.rounds));
    Result<std::vector<Json>> rows = measure_round(options, ways);
    if (!rows) return std::move(rows).error();
    rows->insert(rows->end(), notes.begin(), notes.end());
    rounds.push_back(*std::move(rows));
  }
  cli::say("CPU time by part");
  Result<Json> parts = measure_parts({**bare, **groups, heddle, (*worker)->pid()},
                                     (*place)->dir().path() + "/journal.jsonl",
                                     options.tasks * options.rounds, next_id);
  if (!parts) return parts;
  Json results = launch_results(rounds);
  results["parts"] = *std::move(parts);
  return results;
}

}  // namespace

int launch_bench_command(const LaunchBenchOptions& given) {
  LaunchBenchOptions options = given;
  if (options.quick) options.tasks = 50, options.rounds = 1;
  Fd signals = cli::take_signals();
  if (!signals) return cli::fail(system_error("make a signal descriptor", errno));
  Result<Json> results = measure_all(options, signals.get());
  return print_bench(results, options.json, format_launch_results);
}

}  // namespace heddle::bench
