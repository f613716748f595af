#include "bench/heartbeat_bench.h"

#include <algorithm>

#include "bench/bench_cluster.h"
#include "bench/results.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr EmuBytes kTaskMemory{1LL << 30};
constexpr int kShareNodes = 16;  ///< shares of a CPU are per this number of nodes
constexpr int kAimWorkers = 1000;
constexpr double kAimTrip_ms = 50, kAimShare = 0.01;

const BenchForm kHeartbeatForm = {"heartbeat",
                                  {{"worker", "worker"},
                                   {"transport", "by"},
                                   {"workers", "workers"},
                                   {"containers", "containers"}},
                                  {{"beats", "beats"},
                                   {"master_us", "master us/beat", 1, Better::kLess},
                                   {"echo/us", "echo us", 1},
                                   {"x", "x", 1, Better::kLess},
                                   {"master_share", "master %/16", 2, Better::kLess, 0.01},
                                   {"worker_us", "worker us/beat", 1, Better::kLess},
                                   {"worker_share", "worker %/16", 2, Better::kLess, 0.01},
                                   {"trip_ms/p50", "p50 ms", 2, Better::kLess},
                                   {"trip_ms/p99", "p99 ms", 2, Better::kLess},
                                   {"trip_ms/max", "max ms", 1, Better::kLess},
                                   {"echo/trip_ms/p50", "echo p50", 2},
                                   {"echo/trip_ms/p99", "echo p99", 2},
                                   {"sent_bytes", "bytes", 0, Better::kLess},
                                   {"received_bytes", "reply", 0, Better::kLess}}};

/// Returns the ratio, or null if `by` is 0.
Json ratio(double of, double by) { return by > 0 ? Json(wire::rounded(of / by)) : Json(); }

void judge(const Json& row, Json& aims) {
  const int workers = row.at("workers");
  const std::string who = std::to_string(workers) + " " + row.at("worker").get<std::string>() +
                          " workers by " + row.at("transport").get<std::string>() + ", " +
                          row.at("containers").dump() + " containers each";
  if (const Json& p99 = row.at("trip_ms").at("p99"); workers >= kAimWorkers && p99.is_number())
    aims.push_back(aim_at_most(who + ": p99 of round trips, ms", p99, kAimTrip_ms));
  if (workers < kShareNodes) return;
  for (const char* share : {"master_share", "worker_share"})
    if (const Json& value = row.at(share); value.is_number())
      aims.push_back(aim_at_most(
          who + ": " + std::string(share).substr(0, 6) + "'s share of a CPU per 16 nodes", value,
          kAimShare));
}

}  // namespace

std::string title_of(const BeatCase& one) {
  return std::to_string(one.workers) + (one.real ? " real" : "") +
         (one.workers == 1 ? " worker" : " workers") + " by " + (one.tcp ? "tcp" : "ipc") + ", " +
         std::to_string(one.containers) + " containers each";
}

Scenario beat_scenario(const BeatCase& one) {
  Scenario scenario;
  scenario.name = "bench-heartbeat";
  const int cores = std::max(one.containers, 1);
  scenario.emulation.core_fraction = std::clamp(1.0 / (one.workers * cores), 0.001, 0.01);
  scenario.emulation.memory_scale = 1.0 / 128;
  scenario.queues.emplace_back().name = "default";
  add_nodes(one.workers, {Millicores(cores * 1000), kTaskMemory * cores}, scenario);
  PhaseSpec phase;
  phase.name = "sleep";
  phase.tasks = std::max(one.workers * one.containers, 1);
  phase.request = {Millicores(1000), kTaskMemory};
  phase.sleep = {Drawn::Dist::kConstant, 86'400e6, 0};
  JobSpec& job = scenario.jobs.emplace_back();
  job.name = "sleepers";
  // Without containers, the run does not end because its job is submitted only after a day.
  if (one.containers == 0) job.submit = emu_seconds(86'400);
  job.phases = {std::move(phase)};
  return scenario;
}

Json beat_row(const BeatCase& one, const BeatsMeasured& m, const BeatsMeasured* echo) {
  const auto beats = static_cast<double>(m.beats);
  const double nodes = m.seconds * one.workers / kShareNodes;
  Json row = {{"worker", one.real ? "real" : "light"},
              {"transport", one.tcp ? "tcp" : "ipc"},
              {"workers", one.workers},
              {"containers", one.containers},
              {"beats", m.beats},
              {"seconds", wire::rounded(m.seconds)},
              {"master_us", ratio(m.server_cpu_s * 1e6, beats)},
              {"master_share", ratio(m.server_cpu_s, nodes)},
              {"worker_us", ratio(m.workers_cpu_s * 1e6, beats)},
              {"worker_share", one.real ? ratio(m.workers_cpu_s, nodes) : Json()},
              {"trip_ms", wire::percentiles(m.trip_ms)},
              {"answered", m.trip_ms.size()},
              {"sent_bytes", m.sent > 0 ? ratio(static_cast<double>(m.sent), beats) : Json()},
              {"received_bytes",
               ratio(static_cast<double>(m.received), static_cast<double>(m.trip_ms.size()))},
              {"echo", nullptr},
              {"x", nullptr}};
  if (!echo) return row;
  const auto echoes = static_cast<double>(echo->beats);
  row["echo"] = {{"us", ratio(echo->server_cpu_s * 1e6, echoes)},
                 {"trip_ms", wire::percentiles(echo->trip_ms)}};
  if (m.beats > 0) row["x"] = ratio(m.server_cpu_s / beats, echo->server_cpu_s / echoes);
  return row;
}

Json heartbeat_results(std::vector<Json> rows) {
  Json aims = Json::array();
  for (const Json& row : rows) judge(row, aims);
  return bench_results(kHeartbeatForm, std::move(rows), std::move(aims));
}

std::string format_heartbeat_results(const Json& results) {
  return format_bench(kHeartbeatForm, results);
}

}  // namespace heddle::bench
