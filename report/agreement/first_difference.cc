#include "report/agreement/first_difference.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>

#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

const JobSpec& job_of(const RunLaunches& run, const AttemptRow& row) {
  return run.scenario.jobs[static_cast<std::size_t>(row.phase.job.value)];
}

const std::string& phase_of(const RunLaunches& run, const AttemptRow& row) {
  return job_of(run, row).phases[static_cast<std::size_t>(row.phase.phase)].name;
}

const std::string& node_of(const RunLaunches& run, const AttemptRow& row) {
  return run.scenario.cluster.nodes[static_cast<std::size_t>(row.node.value)].name;
}

/// Returns what distinguishes the attempts of all tasks of a run.
auto task_of(const RunLaunches& run, const AttemptRow& row) {
  return std::tie(job_of(run, row).name, phase_of(run, row), row.task, row.attempt);
}

std::string name_of(const RunLaunches& run, const AttemptRow& row) {
  return fmt::format("{} {} {}{}", job_of(run, row).name, phase_of(run, row), row.task,
                     row.attempt > 1 ? fmt::format(" (attempt {})", row.attempt) : "");
}

/// Returns launch number `number`, or null.
Json launch_json(const RunLaunches& run, std::size_t number) {
  if (number >= run.attempts.size()) return nullptr;
  const AttemptRow& row = run.attempts[number];
  return {{"at_s", wire::rounded(to_seconds(row.allocated))},
          {"task", name_of(run, row)},
          {"node", node_of(run, row)}};
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

Json ended_json(const RunLaunches& first, const RunLaunches& second, std::size_t number) {
  const std::vector<AttemptRow> a = ended_before(first.attempts, number);
  const std::vector<AttemptRow> b = ended_before(second.attempts, number);
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (task_of(first, a[i]) != task_of(second, b[i]))
      return {{first.key, name_of(first, a[i])}, {second.key, name_of(second, b[i])}};
  return nullptr;
}

std::string launch_text(const Json& launch) {
  if (launch.is_null()) return "made no such launch";
  return fmt::format("launched {} on {} at {:.1f} s", launch.at("task").get<std::string>(),
                     launch.at("node").get<std::string>(), launch.at("at_s").get<double>());
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] += 'A' - 'a';
  return text;
}

}  // namespace

Json first_difference(RunLaunches first, RunLaunches second) {
  for (RunLaunches* run : {&first, &second})
    std::ranges::sort(run->attempts, {}, &AttemptRow::container);
  const auto same = [&](const AttemptRow& a, const AttemptRow& b) {
    return task_of(first, a) == task_of(second, b) && node_of(first, a) == node_of(second, b);
  };
  const auto [a, b] = std::ranges::mismatch(first.attempts, second.attempts, same);
  if (a == first.attempts.end() && b == second.attempts.end()) return nullptr;
  const auto number = static_cast<std::size_t>(a - first.attempts.begin());
  return {{"launch", number + 1},
          {first.key, launch_json(first, number)},
          {second.key, launch_json(second, number)},
          {"ended", ended_json(first, second, number)}};
}

std::string format_first_difference(const Json& difference, const LaunchWords& first,
                                    const LaunchWords& second) {
  if (difference.is_null()) return "";
  const Json& ended = difference.at("ended");
  return fmt::format(
      "first decision that differs: launch {}. {} {}; {} {}. {}\n",
      difference.at("launch").get<std::int64_t>(), capitalized(first.name),
      launch_text(difference.at(first.key)), second.name, launch_text(difference.at(second.key)),
      ended.is_null() ? "Before it, containers ended in the same order."
                      : fmt::format("Before it, {} ended first in {}, and {} in {}.",
                                    ended.at(first.key).get<std::string>(), first.name,
                                    ended.at(second.key).get<std::string>(), second.name));
}

}  // namespace heddle::report
