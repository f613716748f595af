#include "report/agreement/first_difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

auto task_of(const AttemptRow& row) { return std::tie(row.phase, row.task, row.attempt); }

std::string name_of(const Scenario& scenario, const AttemptRow& row) {
  const JobSpec& job = scenario.jobs[static_cast<std::size_t>(row.phase.job.value)];
  const PhaseSpec& phase = job.phases[static_cast<std::size_t>(row.phase.phase)];
  return fmt::format("{} {} {}{}", job.name, phase.name, row.task,
                     row.attempt > 1 ? fmt::format(" (attempt {})", row.attempt) : "");
}

/// Returns launch number `number`, or null.
Json launch_json(const Scenario& scenario, const std::vector<AttemptRow>& rows,
                 std::size_t number) {
  if (number >= rows.size()) return nullptr;
  const AttemptRow& row = rows[number];
  return {{"at_s", wire::rounded(to_seconds(row.allocated))},
          {"task", name_of(scenario, row)},
          {"node", scenario.cluster.nodes[static_cast<std::size_t>(row.node.value)].name}};
}

/// Returns the attempts that ended before launch number `number`, in the order of their ends.
std::vector<AttemptRow> ended_before(const std::vector<AttemptRow>& rows, std::size_t number) {
  std::vector<AttemptRow> ended;
  for (const AttemptRow& row : rows)
    if (row.ended && (number >= rows.size() || *row.ended <= rows[number].allocated))
      ended.push_back(row);
  std::ranges::stable_sort(ended, {}, [](const AttemptRow& row) { return *row.ended; });
  return ended;
}

Json ended_json(const Scenario& scenario, const std::vector<AttemptRow>& simulated,
                const std::vector<AttemptRow>& run, std::size_t number) {
  const std::vector<AttemptRow> a = ended_before(simulated, number), b = ended_before(run, number);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (task_of(a[i]) != task_of(b[i]))
      return {{"simulated", name_of(scenario, a[i])}, {"run", name_of(scenario, b[i])}};
  return nullptr;
}

std::string launch_text(const Json& launch) {
  if (launch.is_null()) return "made no such launch";
  return fmt::format("launched {} on {} at {:.1f} s", launch.at("task").get<std::string>(),
                     launch.at("node").get<std::string>(), launch.at("at_s").get<double>());
}

}  // namespace

Json first_difference(const Scenario& scenario, std::vector<AttemptRow> simulated,
                      std::vector<AttemptRow> run) {
  for (std::vector<AttemptRow>* rows : {&simulated, &run})
    std::ranges::sort(*rows, {}, &AttemptRow::container);
  const auto same = [](const AttemptRow& a, const AttemptRow& b) {
    return task_of(a) == task_of(b) && a.node == b.node;
  };
  const auto [a, b] = std::ranges::mismatch(simulated, run, same);
  if (a == simulated.end() && b == run.end()) return nullptr;
  const auto number = static_cast<std::size_t>(a - simulated.begin());
  return {{"launch", number + 1},
          {"simulated", launch_json(scenario, simulated, number)},
          {"run", launch_json(scenario, run, number)},
          {"ended", ended_json(scenario, simulated, run, number)}};
}

std::string format_first_difference(const Json& difference) {
  if (difference.is_null()) return "";
  const Json& ended = difference.at("ended");
  return fmt::format(
      "first decision that differs: launch {}. The simulation {}; the run {}. {}\n",
      difference.at("launch").get<std::int64_t>(), launch_text(difference.at("simulated")),
      launch_text(difference.at("run")),
      ended.is_null()
          ? "Before it, containers ended in the same order."
          : fmt::format("Before it, {} ended first in the simulation, and {} in the run.",
                        ended.at("simulated").get<std::string>(),
                        ended.at("run").get<std::string>()));
}

}  // namespace heddle::report
