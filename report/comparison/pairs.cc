#include "report/comparison/pairs.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/comparison/comparison.h"
#include "report/comparison/text.h"

namespace heddle::report {
namespace {

using wire::Json;

/// Returns whether a policy has values, but only of affected runs: their spread is told, and each
/// value is null.
bool only_affected(const Json& policy) {
  return !policy.at("median").is_null() && known(values_of(policy)).empty();
}

Json pairs_of_metric(const Json& metric, const ComparisonMetric& known_metric,
                     const std::vector<bool>& exact, double level) {
  const Json& policies = metric.at("policies");
  Json pairs = Json::array();
  for (std::size_t i = 0; i < policies.size(); ++i)
    for (std::size_t j = 0; j < policies.size(); ++j) {
      if (i == j) continue;
      pairs.push_back({{"policy", policies[i].at("name")}, {"baseline", policies[j].at("name")}});
      pairs.back().update(metric_difference(known_metric, values_of(policies[i]),
                                            values_of(policies[j]), level, exact[i] && exact[j]));
      if (only_affected(policies[i]) || only_affected(policies[j]))
        pairs.back()["verdict"] = "affected";
    }
  return pairs;
}

/// Returns "-12.3 %", in brackets if no difference was shown; "-" if nothing is known.
std::string cell_of(const Json& pair, const std::string& unit) {
  const auto verdict = pair.at("verdict").get<std::string>();
  if (verdict == "equal") return "equal";
  if (verdict == "affected") return "affected";
  if (pair.at("difference").is_null()) return "-";
  const Json& relative = pair.at("relative");
  const std::string text =
      relative.is_null() ? metric_text(pair.at("difference"), unit) : change_text(relative);
  return verdict == "less" || verdict == "more" ? text : "(" + text + ")";
}

}  // namespace

Json every_pair(const Json& comparison) {
  const Json& policies = comparison.at("policies");
  std::vector<bool> exact;
  for (const Json& policy : policies) exact.push_back(policy.value("exact", false));
  const double level = level_of_pairs(policies.size() * (policies.size() - 1) / 2);
  Json metrics = Json::array();
  for (const Json& metric : comparison.at("metrics")) {
    if (!metric.at("headline").get<bool>() && !metric.value("chosen", false)) continue;
    const auto key = metric.at("key").get<std::string>();
    const auto known_metric = std::ranges::find(comparison_metrics(), key, &ComparisonMetric::key);
    if (known_metric == comparison_metrics().end()) continue;  // of another version
    Json entry = Json::object();
    for (const char* part : {"key", "title", "unit", "better", "group"})
      entry[part] = metric.at(part);
    entry["pairs"] = pairs_of_metric(metric, *known_metric, exact, level);
    metrics.push_back(std::move(entry));
  }
  return {{"level", level}, {"metrics", std::move(metrics)}};
}

std::vector<PairsTable> pairs_tables(const Json& comparison) {
  std::vector<PairsTable> tables;
  const auto found = comparison.find("pairs");
  if (found == comparison.end()) return tables;
  for (const Json& metric : found->at("metrics")) {
    PairsTable table{metric_title(metric), {{"", false, Narrow::kShorten}}, {}};
    auto pair = metric.at("pairs").begin();
    for (const Json& policy : comparison.at("policies")) {
      const auto name = policy.at("name").get<std::string>();
      table.columns.push_back({name, true, Narrow::kShorten});
      table.rows.push_back({name});
      for (const Json& other : comparison.at("policies"))
        table.rows.back().push_back(
            &other == &policy ? "" : cell_of(*pair++, metric.at("unit").get<std::string>()));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string pairs_note(const Json& comparison) {
  const auto found = comparison.find("pairs");
  if (found == comparison.end()) return "";
  return fmt::format(
      "Each row is compared with each column. Changes in brackets are not shown to be differences: "
      "their {:.4g} % intervals, which allow for all pairs, contain 0, or there are too few "
      "repeats.",
      found->at("level").get<double>() * 100);
}

}  // namespace heddle::report
