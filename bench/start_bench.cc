#include "bench/start_bench.h"

#include <algorithm>

#include "bench/bench_cluster.h"
#include "bench/results.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr Resources kNode{Millicores(50), EmuBytes(64LL << 20)};
/// Number of CPUs that all nodes have together.
constexpr double kCpus = 1;
constexpr double kStartMemoryScale = 1.0 / 32;
constexpr double kLeastHeartbeat_s = 1;
/// Heartbeat interval per node. A heartbeat takes half a millisecond of CPU
/// (docs/reference/benchmarks.md, heartbeat).
constexpr double kHeartbeatOfEach_s = 0.002;
constexpr double kAimEnd_s = 2;

const BenchForm kStartForm = {"start",
                              {{"nodes", "nodes"}},
                              {{"start_s", "start s", 1, Better::kLess},
                               {"memory_mib", "memory MiB", 0, Better::kLess},
                               {"node_mib", "MiB/node", 2, Better::kLess},
                               {"end_s", "end s", 2, Better::kLess},
                               {"early_end_s", "early end s", 2, Better::kLess}}};

}  // namespace

Scenario start_scenario(int nodes) {
  Scenario scenario;
  scenario.name = "bench-start";
  scenario.emulation.core_fraction = std::clamp(kCpus / (nodes * 0.05), 0.001, 0.05);
  scenario.emulation.memory_scale = kStartMemoryScale;
  scenario.queues.emplace_back().name = "default";
  ClusterSpec& cluster = scenario.cluster;
  const double heartbeat = std::max(kLeastHeartbeat_s, nodes * kHeartbeatOfEach_s);
  cluster.heartbeat = emu_seconds(heartbeat);
  // Registered workers wait for workers that still start. After that, each worker has to read the
  // addresses of all other workers.
  cluster.node_timeout = std::max(emu_seconds(60), emu_seconds(5 * heartbeat));
  add_nodes(nodes, kNode, scenario);
  PhaseSpec phase;
  phase.name = "sleep";
  phase.tasks = 1;
  phase.request = kNode;
  phase.sleep = {Drawn::Dist::kConstant, 60e6, 0};
  JobSpec& job = scenario.jobs.emplace_back();
  job.name = "later";
  job.submit = emu_seconds(86'400);
  job.phases = {std::move(phase)};
  return scenario;
}

Json start_row(int nodes, const StartMeasured& measured) {
  return {{"nodes", nodes},
          {"start_s", wire::rounded(measured.start_s)},
          {"memory_mib", wire::rounded(measured.memory_mib)},
          {"node_mib", wire::rounded(measured.memory_mib / nodes)},
          {"end_s", wire::rounded(measured.end_s)},
          {"early_end_s", wire::rounded(measured.early_end_s)}};
}

Json start_results(std::vector<Json> rows) {
  Json aims = Json::array();
  for (const Json& row : rows) {
    const std::string who = row.at("nodes").dump() + " nodes: ";
    aims.push_back(aim_at_most(who + "end after an interrupt, s", row.at("end_s"), kAimEnd_s));
    aims.push_back(aim_at_most(who + "end after an interrupt during the start, s",
                               row.at("early_end_s"), kAimEnd_s));
  }
  return bench_results(kStartForm, std::move(rows), std::move(aims));
}

std::string format_start_results(const Json& results) { return format_bench(kStartForm, results); }

}  // namespace heddle::bench
