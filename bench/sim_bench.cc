#include "bench/sim_bench.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "common/wire/values.h"
#include "report/table.h"
#include "sim/simulation.h"

namespace heddle {
namespace {

using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kAimNodes = 10'000, kAimTasks = 100'000;
constexpr double kAimSeconds = 60, kAimGrowth = 3;

double thread_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::int64_t peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

std::int64_t tasks_of(const Scenario& scenario) {
  std::int64_t tasks = 0;
  for (const JobSpec& job : scenario.jobs) tasks += job.task_count();
  return tasks;
}

Json aim(const std::string& what, double value, double limit) {
  return {{"aim", what}, {"value", value}, {"limit", limit}, {"met", value <= limit}};
}

/// By scheduler, in the order in which they come first, and then by nodes.
std::vector<std::vector<Json*>> by_scheduler(std::vector<Json>& rows) {
  std::vector<std::vector<Json*>> groups;
  for (Json& row : rows) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) {
      return other.front()->at("scheduler") == row.at("scheduler");
    });
    if (group == groups.end()) group = groups.insert(group, std::vector<Json*>());
    group->push_back(&row);
  }
  for (auto& group : groups)
    std::stable_sort(group.begin(), group.end(),
                     [](const Json* a, const Json* b) { return a->at("nodes") < b->at("nodes"); });
  return groups;
}

void judge(const std::vector<Json*>& rows, Json& aims) {
  const std::string scheduler = rows.front()->at("scheduler");
  for (Json* row : rows) {
    row->at("x") =
        wire::rounded(row->at("step_us").get<double>() / rows.front()->at("step_us").get<double>());
    if (row->at("nodes") == kAimNodes && row->at("tasks") == kAimTasks)
      aims.push_back(aim(scheduler + ": CPU seconds of 100000 tasks on 10000 nodes",
                         row->at("cpu_s"), kAimSeconds));
  }
  if (rows.back()->at("nodes") != rows.front()->at("nodes"))
    aims.push_back(aim(scheduler + ": growth of the cost of a step from " +
                           rows.front()->at("nodes").dump() + " to " +
                           rows.back()->at("nodes").dump() + " nodes",
                       rows.back()->at("x"), kAimGrowth));
}

}  // namespace

Result<Json> measure_sim(const SimLoad& load) {
  const Scenario scenario = sim_scenario(load);
  std::int64_t journal_bytes = 0;
  auto count = [&](std::string_view lines) { journal_bytes += std::ssize(lines); };
  const Clock::time_point start = Clock::now();
  const double cpu_before = thread_cpu_s();
  Simulation simulation(scenario, {true, [] { return Clock::now().time_since_epoch(); }}, count,
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
  const std::vector<double>& us = simulation.decision_us();
  return Json{{"nodes", load.nodes},
              {"tasks", tasks_of(scenario)},
              {"wall_s", wire::rounded(wall_s)},
              {"cpu_s", wire::rounded(cpu_s)},
              {"steps", simulation.decisions()},
              {"step_us", wire::rounded(cpu_s * 1e6 / steps)},
              {"x", nullptr},
              {"task_us", wire::rounded(cpu_s * 1e6 / tasks)},
              {"decision_us",
               {{"p50", wire::percentile(us, 0.5)},
                {"p99", wire::percentile(us, 0.99)},
                {"max", wire::percentile(us, 1)}}},
              {"tasks_per_s", wire::rounded(tasks / cpu_s)},
              {"makespan_s", to_seconds(simulation.now())},
              {"journal_bytes", journal_bytes},
              {"peak_bytes", peak}};
}

Json median_row(std::vector<Json> rows) {
  std::sort(rows.begin(), rows.end(),
            [](const Json& a, const Json& b) { return a.at("cpu_s") < b.at("cpu_s"); });
  return rows[rows.size() / 2];
}

Json sim_results(std::vector<Json> rows) {
  Json aims = Json::array();
  for (const std::vector<Json*>& group : by_scheduler(rows)) judge(group, aims);
  Json met = nullptr;
  if (!aims.empty())
    met = std::all_of(aims.begin(), aims.end(), [](const Json& one) { return one.at("met"); });
  return {{"bench", "sim"}, {"rows", rows}, {"aims", aims}, {"met", met}};
}

std::string format_sim_results(const Json& results) {
  std::vector<Column> columns = {{"scheduler"}};
  for (const char* title : {"nodes", "tasks", "wall s", "cpu s", "steps", "us/step", "x", "us/task",
                            "p50 us", "p99 us", "max us", "tasks/s", "makespan s", "peak MiB"})
    columns.push_back({title, true});
  std::vector<std::vector<std::string>> rows;
  for (const Json& row : results.at("rows")) {
    auto number = [&](const Json& value, int digits) {
      return fmt::format("{:.{}f}", value.get<double>(), digits);
    };
    const Json& us = row.at("decision_us");
    rows.push_back({row.at("scheduler"), row.at("nodes").dump(), row.at("tasks").dump(),
                    number(row.at("wall_s"), 2), number(row.at("cpu_s"), 2), row.at("steps").dump(),
                    number(row.at("step_us"), 2), number(row.at("x"), 2),
                    number(row.at("task_us"), 1), number(us.at("p50"), 1), number(us.at("p99"), 1),
                    number(us.at("max"), 0), number(row.at("tasks_per_s"), 0),
                    number(row.at("makespan_s"), 1),
                    number(row.at("peak_bytes").get<double>() / (1 << 20), 0)});
  }
  std::string text = format_table(columns, rows);
  for (const Json& one : results.at("aims"))
    text += fmt::format("{}: {:.2f}, aim at most {:.0f}: {}\n", one.at("aim").get<std::string>(),
                        one.at("value").get<double>(), one.at("limit").get<double>(),
                        one.at("met").get<bool>() ? "met" : "not met");
  return text;
}

}  // namespace heddle
