#include "report/comparison/league.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "report/table.h"

namespace heddle::report {
namespace {

using wire::Json;
using Ratio = std::optional<double> LeagueEntry::*;
using Rows = std::vector<std::vector<std::string>>;

constexpr double kNotable = 1.5;

bool completed(const Json& job) { return job.at("state") == "completed"; }

int unfinished_jobs(const Json& summary) {
  return static_cast<int>(std::ranges::count_if(summary.at("jobs"), std::not_fn(completed)));
}

std::set<std::string> completed_names(const Json& summary) {
  std::set<std::string> names;
  for (const Json& job : summary.at("jobs"))
    if (completed(job)) names.insert(job.at("name").get<std::string>());
  return names;
}

/// Returns the jobs that completed under every policy and also when they ran alone, by name. Their
/// values are the completion times when they ran alone.
std::map<std::string, double> common_jobs(
    const std::vector<std::pair<std::string, Json>>& summaries, const JobReferences& references) {
  std::map<std::string, double> common;
  for (const auto& [job, reference] : references.jobs)
    if (reference.alone_s && *reference.alone_s > 0) common[job] = *reference.alone_s;
  for (const auto& [policy, summary] : summaries) {
    const std::set<std::string> names = completed_names(summary);
    std::erase_if(common, [&](const auto& job) { return !names.contains(job.first); });
  }
  return common;
}

std::optional<double> mean_slowdown(const Json& summary,
                                    const std::map<std::string, double>& alone) {
  if (alone.empty()) return std::nullopt;
  double sum = 0;
  for (const Json& job : summary.at("jobs")) {
    const auto found = alone.find(job.at("name").get<std::string>());
    if (found != alone.end()) sum += job.at("completion_s").get<double>() / found->second;
  }
  return sum / static_cast<double>(alone.size());
}

/// Divides by the smallest value among the policies that left the fewest jobs unfinished.
void make_relative(LeagueRow& row, Ratio ratio, int fewest_unfinished) {
  std::optional<double> best;
  for (const LeagueEntry& entry : row.entries)
    if (entry.unfinished == fewest_unfinished && entry.*ratio)
      best = std::min(best.value_or(*(entry.*ratio)), *(entry.*ratio));
  for (LeagueEntry& entry : row.entries)
    if (best && *best > 0 && entry.*ratio)
      entry.*ratio = *(entry.*ratio) / *best;
    else
      entry.*ratio = std::nullopt;
}

std::string entry_text(const LeagueEntry& entry, Ratio ratio) {
  const std::string value = entry.*ratio ? fmt::format("{:.2f}", *(entry.*ratio)) : "-";
  return entry.unfinished == 0 ? value : fmt::format("{} !{}", value, entry.unfinished);
}

/// Returns the ratios of the i-th policy over all scenarios.
std::vector<double> ratios_of(const std::vector<LeagueRow>& rows, std::size_t i, Ratio ratio) {
  std::vector<double> ratios;
  for (const LeagueRow& row : rows)
    if (row.entries[i].*ratio) ratios.push_back(*(row.entries[i].*ratio));
  return ratios;
}

std::string geometric_mean(const std::vector<double>& ratios) {
  if (ratios.empty()) return "-";
  double sum = 0;
  for (double ratio : ratios) sum += std::log(ratio);
  return fmt::format("{:.2f}", std::exp(sum / static_cast<double>(ratios.size())));
}

Rows table_rows(const std::vector<LeagueRow>& rows, Ratio ratio) {
  Rows table;
  for (const LeagueRow& row : rows) {
    table.push_back({row.scenario});
    for (const LeagueEntry& entry : row.entries) table.back().push_back(entry_text(entry, ratio));
  }
  std::vector<std::string> means = {"geometric mean"}, notable = {"above 1.5"};
  for (std::size_t i = 0; i < rows.front().entries.size(); ++i) {
    const std::vector<double> ratios = ratios_of(rows, i, ratio);
    means.push_back(geometric_mean(ratios));
    notable.push_back(std::to_string(
        std::count_if(ratios.begin(), ratios.end(), [](double one) { return one > kNotable; })));
  }
  table.push_back(std::move(means));
  table.push_back(std::move(notable));
  return table;
}

std::string tables(const std::vector<LeagueRow>& rows, bool markdown) {
  std::vector<Column> columns = {{"scenario"}};
  for (const LeagueEntry& entry : rows.front().entries) columns.push_back({entry.policy, true});
  auto table = [&](Ratio ratio) {
    return markdown ? markdown_table(columns, table_rows(rows, ratio))
                    : format_table(columns, table_rows(rows, ratio));
  };
  return "Makespan relative to the best policy of each scenario\n\n" +
         table(&LeagueEntry::makespan) +
         "\nMean slowdown relative to the best policy of each scenario\n\n" +
         table(&LeagueEntry::slowdown);
}

Json to_json(const std::vector<LeagueRow>& rows) {
  auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  Json list = Json::array();
  for (const LeagueRow& row : rows) {
    Json policies = Json::array();
    for (const LeagueEntry& entry : row.entries)
      policies.push_back({{"policy", entry.policy},
                          {"unfinished", entry.unfinished},
                          {"makespan", number(entry.makespan)},
                          {"mean_slowdown", number(entry.slowdown)}});
    list.push_back({{"scenario", row.scenario}, {"policies", std::move(policies)}});
  }
  return {{"schema", 1}, {"kind", "league"}, {"scenarios", std::move(list)}};
}

}  // namespace

LeagueRow league_row(const std::string& scenario,
                     const std::vector<std::pair<std::string, Json>>& summaries,
                     const JobReferences& references) {
  const std::map<std::string, double> alone = common_jobs(summaries, references);
  LeagueRow row{scenario, {}};
  for (const auto& [policy, summary] : summaries) {
    LeagueEntry entry{policy, unfinished_jobs(summary), std::nullopt, std::nullopt};
    const Json& makespan = summary.at("makespan_s");
    if (makespan.is_number()) entry.makespan = makespan.get<double>();
    entry.slowdown = mean_slowdown(summary, alone);
    row.entries.push_back(std::move(entry));
  }
  int fewest = INT_MAX;
  for (const LeagueEntry& entry : row.entries) fewest = std::min(fewest, entry.unfinished);
  make_relative(row, &LeagueEntry::makespan, fewest);
  make_relative(row, &LeagueEntry::slowdown, fewest);
  return row;
}

std::string format_league(const std::vector<LeagueRow>& rows, LeagueFormat format) {
  if (format == LeagueFormat::kJson) return to_json(rows).dump(2) + "\n";
  if (rows.empty()) return "no scenarios\n";
  return tables(rows, format == LeagueFormat::kMarkdown);
}

}  // namespace heddle::report
