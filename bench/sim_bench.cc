#include "bench/sim_bench.h"

#include <chrono>

#include "bench/results.h"
#include "common/own_usage.h"
#include "sim/simulation.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kAimNodes = 10'000, kAimTasks = 100'000;
constexpr double kAimSeconds = 60, kAimSimGrowth = 3;
constexpr std::int64_t kRateNodes = 1000, kManyTasks = 1'000'000;
constexpr double kAimEventRate = 200'000, kAimFifoRate = 300'000, kAimBytes = 2e9;

const BenchForm kSimForm = {
    "sim",
    {{"scheduler", "scheduler"}, {"dispatch", "dispatch"}, {"nodes", "nodes"}, {"tasks", "tasks"}},
    {{"wall_s", "wall s", 2, Better::kLess},
     {"cpu_s", "cpu s", 2, Better::kLess},
     {"steps", "steps"},
     {"step_us", "us/step", 2, Better::kLess},
     {"x", "x", 2},
     {"task_us", "us/task", 1, Better::kLess},
     {"decision_us/p50", "p50 us", 1, Better::kLess},
     {"decision_us/p99", "p99 us", 1, Better::kLess},
     {"decision_us/max", "max us", 0, Better::kLess},
     {"tasks_per_s", "tasks/s", 0, Better::kMore},
     {"makespan_s", "makespan s", 1},
     {"peak_bytes", "peak MiB", 0, Better::kLess, 1 << 20}}};

std::int64_t tasks_of(const Scenario& scenario) {
  std::int64_t tasks = 0;
  for (const JobSpec& job : scenario.jobs) tasks += job.task_count();
  return tasks;
}

/// Judges the rows of one scheduler.
void judge_simulations(const std::vector<Json*>& rows, Json& aims) {
  const std::string scheduler = rows.front()->at("scheduler");
  for (Json* row : rows) {
    row->at("x") =
        wire::rounded(row->at("step_us").get<double>() / rows.front()->at("step_us").get<double>());
    if (row->at("nodes") == kAimNodes && row->at("tasks") == kAimTasks)
      aims.push_back(aim_at_most(scheduler + ": CPU seconds of 100000 tasks on 10000 nodes",
                                 row->at("cpu_s"), kAimSeconds));
    if (row->at("nodes") == kRateNodes)
      aims.push_back(aim_at_least(scheduler + ": ends of tasks a second on 1000 nodes",
                                  row->at("tasks_per_s"),
                                  scheduler == "fifo" ? kAimFifoRate : kAimEventRate));
    if (row->at("nodes") == kAimNodes && row->at("tasks") == kManyTasks)
      aims.push_back(aim_at_most(scheduler + ": bytes of 1000000 tasks on 10000 nodes",
                                 row->at("peak_bytes"), kAimBytes));
  }
  if (rows.back()->at("nodes") != rows.front()->at("nodes"))
    aims.push_back(aim_at_most(scheduler + ": growth of the cost of a step from " +
                                   rows.front()->at("nodes").dump() + " to " +
                                   rows.back()->at("nodes").dump() + " nodes",
                               rows.back()->at("x"), kAimSimGrowth));
}

}  // namespace

Result<Json> measure_sim(const SimLoad& load) {
  const Scenario scenario = sim_scenario(load);
  std::int64_t journal_bytes = 0;
  auto count = [&](std::string_view lines) { journal_bytes += std::ssize(lines); };
  const Clock::time_point start = Clock::now();
  const double cpu_before = thread_cpu_s();
  sim::Simulation simulation(
      scenario, {load.journal_heartbeats, [] { return Clock::now().time_since_epoch(); }}, count,
      [](std::string_view) {});
  while (simulation.go_on(1'000'000)) {
  }
  const double cpu_s = thread_cpu_s() - cpu_before;
  const double wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  if (simulation.status() != RunStatus::kDone)
    return aborted_error("the simulation ended " + std::string(name_of(simulation.status())) +
                         ": " + simulation.reason());
  const std::int64_t peak = peak_bytes();  // before decision_us is copied
  const auto tasks = static_cast<double>(tasks_of(scenario));
  const auto steps = static_cast<double>(simulation.decisions());
  return Json{{"nodes", load.nodes},
              {"tasks", tasks_of(scenario)},
              {"wall_s", wire::rounded(wall_s)},
              {"cpu_s", wire::rounded(cpu_s)},
              {"steps", simulation.decisions()},
              {"step_us", wire::rounded(cpu_s * 1e6 / steps)},
              {"x", nullptr},
              {"task_us", wire::rounded(cpu_s * 1e6 / tasks)},
              {"decision_us", wire::percentiles(simulation.decision_us())},
              {"tasks_per_s", wire::rounded(tasks / cpu_s)},
              {"makespan_s", to_seconds(simulation.now())},
              {"journal_bytes", journal_bytes},
              {"peak_bytes", peak}};
}

Json combined_sim(const std::vector<Json>& rows) { return combined(kSimForm, rows); }

Json sim_results(std::vector<Json> rows) {
  Json aims = Json::array();
  for (const std::vector<Json*>& group : grouped(rows, {"scheduler"}))
    judge_simulations(group, aims);
  return bench_results(kSimForm, std::move(rows), std::move(aims));
}

std::string format_sim_results(const Json& results) { return format_bench(kSimForm, results); }

}  // namespace heddle::bench
