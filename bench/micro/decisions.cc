// Measures what a heartbeat costs the engine if there is nothing to decide, and what dividing a
// node's CPU costs.

#include <benchmark/benchmark.h>

#include "bench/sim_bench.h"
#include "core/engine.h"
#include "core/model/cpu_share.h"
#include "core/policy/registry.h"

namespace heddle::bench {
namespace {

/// Measures a heartbeat while all nodes are idle, or while the cluster is full and more jobs wait.
void heartbeat(benchmark::State& state, const std::string& policy, bool full) {
  SimLoad load;
  load.nodes = static_cast<int>(state.range(0));
  load.tasks_per_node = 20;
  Scenario scenario = sim_scenario(load);
  scenario.policy = *parse_policy(policy);
  Engine engine(scenario, make_policy(scenario), [](TaskId) { return TaskWork(); });
  std::vector<Event> events;
  for (int i = 0; i < load.nodes; ++i) events.push_back({EmuTime(0), NodeRegistered{NodeId{i}}});
  for (std::int64_t i = 0; full && i < std::ssize(scenario.jobs); ++i)
    events.push_back({EmuTime(0), JobSubmitted{JobId{i}}});
  engine.step(EmuTime(0), events);
  std::int64_t at = 0;
  auto beat = [&] {
    const EmuTime now(++at * 1000);
    return engine.step(now, {{{now, NodeHeartbeat{NodeId{at % load.nodes}, {}}}}}).actions.size();
  };
  // Runs until every node has all the containers that fit.
  for (std::size_t given = 1; given > 0;) {
    given = 0;
    for (int i = 0; i < load.nodes; ++i) given += beat();
  }
  std::size_t actions = 0;
  for (auto _ : state) actions += beat();
  if (actions > 0) state.SkipWithError("a full node was given something");
}

void idle_heartbeat(benchmark::State& state) { heartbeat(state, "fifo", false); }
BENCHMARK(idle_heartbeat)->ArgName("nodes")->Arg(10)->Arg(1000)->Arg(10000);

void full_heartbeat(benchmark::State& state, const char* policy) { heartbeat(state, policy, true); }
BENCHMARK_CAPTURE(full_heartbeat, fifo, "fifo")->ArgName("nodes")->Arg(10)->Arg(1000);
BENCHMARK_CAPTURE(full_heartbeat, drf, "drf")->ArgName("nodes")->Arg(10)->Arg(1000);
BENCHMARK_CAPTURE(full_heartbeat, capacity, "capacity")->ArgName("nodes")->Arg(10)->Arg(1000);

void divide_a_node(benchmark::State& state) {
  std::vector<CpuClaim> claims;
  for (int i = 0; i < state.range(0); ++i)
    claims.push_back({Millicores(500 + 100 * (i % 5)), 1 + i % 4});
  for (auto _ : state)
    benchmark::DoNotOptimize(share_cpu(claims, Millicores(8000), 1, CpuLimit::kShares));
}
BENCHMARK(divide_a_node)->Arg(8)->Arg(64);

/// Measures task ends per second for a scheduler. This is a small `heddle bench sim`.
void simulate(benchmark::State& state, const char* policy) {
  SimLoad load;
  load.nodes = 20;
  load.policy = *parse_policy(policy);
  for (auto _ : state)
    if (Result<wire::Json> row = measure_sim(load); !row)
      return state.SkipWithError(row.error().text.c_str());
  state.SetItemsProcessed(state.iterations() * load.nodes * load.tasks_per_node);
}
BENCHMARK_CAPTURE(simulate, fifo, "fifo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate, dress, "dress")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle::bench
