#include "report/agreement/run_spread.h"

#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "report/agreement/agreement.h"
#include "report/statistics.h"
#include "report/table.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::Json;

constexpr std::pair<const char*, const char*> kTimes[] = {{"mean_waiting_s", "mean waiting"},
                                                          {"mean_completion_s", "mean completion"},
                                                          {"makespan_s", "makespan"}};

Json spread_of_time(const std::vector<Json>& agreements, const char* key) {
  const Json predicted = agreements.front().at(key).at("predicted");
  Json json = {{"predicted", predicted},
               {"measured", {{"median", nullptr}, {"min", nullptr}, {"max", nullptr}}},
               {"error", nullptr},
               {"spread", nullptr},
               {"cause", nullptr}};
  std::vector<double> measured;
  for (const Json& run : agreements)
    if (const Json& value = run.at(key).at("measured"); value.is_number())
      measured.push_back(value.get<double>());
  if (measured.size() < agreements.size()) return json;
  const auto [median, low, high] = *spread_of(measured);
  json["measured"] = {{"median", wire::rounded(median)}, {"min", low}, {"max", high}};
  if (median <= 0) return json;
  json["spread"] = wire::rounded((high - low) / median);
  if (!predicted.is_number()) return json;
  const double error = predicted.get<double>() - median;
  json["error"] = wire::rounded(error / median);
  json["cause"] = std::abs(error) <= high - low ? "chance" : "model";
  return json;
}

/// Returns the sum of kills for lack of memory. `whose`: "predicted" or "measured".
std::string kills(const Json& agreement, const char* whose) {
  std::int64_t sum = 0;
  for (const auto& [limit, both] : agreement.at("oom_kills").items())
    sum += both.at(whose).get<std::int64_t>();
  return std::to_string(sum);
}

std::vector<std::string> row(const std::string& name, const Json& agreement, const char* whose) {
  std::vector<std::string> cells{name};
  for (const auto& [key, title] : kTimes)
    cells.push_back(number_cell(agreement.at(key).at(whose), "{:.1f}"));
  cells.push_back(kills(agreement, whose));
  cells.push_back(number_cell(agreement.at("nearly_full_s").at(whose), "{:.1f}"));
  return cells;
}

std::string line(const char* title, const Json& time, std::size_t runs) {
  if (!time.at("cause").is_string()) return fmt::format("{}: not known in all runs\n", title);
  return fmt::format(
      "{}: the simulation is {} off the median of {} runs, which differ by {} themselves: {}\n",
      title, number_cell(time.at("error"), "{:+.1f} %", 100), runs,
      number_cell(time.at("spread"), "{:.1f} %", 100),
      time.at("cause") == "chance" ? "chance explains it" : "chance does not explain it");
}

}  // namespace

Json run_spread(const std::vector<Json>& agreements) {
  Json json = {{"scenario", agreements.front().at("scenario")},
               {"policy", agreements.front().at("policy")},
               {"runs", agreements}};
  for (const auto& [key, title] : kTimes) json[key] = spread_of_time(agreements, key);
  return json;
}

std::string format_run_spread(const Json& spread, const std::vector<std::string>& names) {
  const Json& runs = spread.at("runs");
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) rows.push_back(row(names[i], runs[i], "measured"));
  rows.push_back(row("simulated", runs[0], "predicted"));
  std::string text = format_table({{"run"},
                                   {"mean waiting s", true},
                                   {"mean completion s", true},
                                   {"makespan s", true},
                                   {"oom kills", true},
                                   {"nearly full s", true}},
                                  rows) +
                     "\n";
  for (const auto& [key, title] : kTimes) text += line(title, spread.at(key), runs.size());
  return text + format_sensitivity(spread);
}

}  // namespace heddle::report
