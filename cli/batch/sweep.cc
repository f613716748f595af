#include "cli/batch/sweep.h"

#include <map>

#include "cli/batch/compare.h"
#include "report/comparison/comparison.h"
#include "report/comparison/csv.h"
#include "report/comparison/text.h"

namespace heddle::cli {
namespace {

using wire::Json;

constexpr std::size_t kMostKeys = 2;
constexpr std::size_t kMostPoints = 1000;

Result<std::vector<SweptKey>> keys_of(const std::vector<std::string>& over) {
  std::vector<SweptKey> keys;
  for (const std::string& text : over) {
    Result<SweptKey> key = parse_over(text);
    if (!key) return std::move(key).error();
    for (const SweptKey& other : keys)
      if (other.key == key->key) return usage_error("--over " + key->key + ": occurs twice");
    keys.push_back(*std::move(key));
  }
  if (keys.empty() || keys.size() > kMostKeys)
    return usage_error("--over: " + std::to_string(keys.size()) +
                       " keys; expected one, or two for a grid");
  std::size_t points = 1;
  for (const SweptKey& key : keys) points *= key.values.size();
  if (points > kMostPoints)
    return usage_error("--over: " + std::to_string(points) + " points; expected at most " +
                       std::to_string(kMostPoints));
  return keys;
}

std::string key_of(const report::RunFigure& figure) {
  if (figure.group.kind == "all") return figure.metric->key;
  return figure.group.kind + "." + figure.group.name + "." + figure.metric->key;
}

std::string title_of(const report::RunFigure& figure) {
  if (figure.group.kind == "all") return figure.metric->title;
  const std::string kind = figure.group.kind == "workload" ? "" : figure.group.kind + " ";
  return kind + figure.group.name + ": " + figure.metric->title;
}

/// Returns the metrics of one point, by key. The keys are in the order in which they first appear
/// in the runs.
Json metrics_of(const std::vector<BatchRun>& runs,
                const std::vector<report::NamedWorkloads>& groups) {
  std::vector<report::RunFigure> heads;
  std::map<std::string, report::Values> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!runs[i].summary) continue;
    for (const report::RunFigure& figure :
         report::figures_of(*runs[i].summary, groups, runs[i].references)) {
      auto [it, fresh] = values.try_emplace(key_of(figure), report::Values(runs.size()));
      if (fresh) heads.push_back(figure);
      it->second[i] = figure.value;
    }
  }
  Json json = Json::object();
  for (const report::RunFigure& head : heads) {
    Json metric = {{"title", title_of(head)},
                   {"unit", head.metric->unit},
                   {"better", report::better_json(*head.metric)},
                   {"headline", head.metric->headline && head.group.kind == "all"}};
    metric.update(report::spread_json(values.at(key_of(head))));
    json[key_of(head)] = std::move(metric);
  }
  return json;
}

}  // namespace

Json sweep_of(const BatchState& state, const std::vector<SweptKey>& keys,
              const std::vector<report::NamedWorkloads>& groups) {
  Json over = Json::array(), points = Json::array();
  for (const SweptKey& key : keys) over.push_back({{"key", key.key}, {"values", key.values}});
  const std::vector<std::vector<std::string>> values = points_of(keys);
  for (std::size_t i = 0; i < values.size(); ++i)
    points.push_back({{"values", values[i]},
                      {"runs", runs_json(state.runs[i])},
                      {"metrics", metrics_of(state.runs[i], groups)}});
  return {{"over", std::move(over)}, {"points", std::move(points)}};
}

Result<int> sweep_command(const SweepOptions& options) {
  Result<std::vector<SweptKey>> keys = keys_of(options.over);
  if (!keys) return std::move(keys).error();
  Result<std::vector<report::NamedWorkloads>> groups = parse_groups(options.groups);
  if (!groups) return std::move(groups).error();
  std::vector<Variant> variants;
  for (const std::vector<std::string>& point : points_of(*keys))
    variants.push_back(variant_of_point(*keys, point));
  const BatchKind kind = {
      "sweep", [&](const BatchState& state) { return sweep_of(state, *keys, *groups); },
      BatchTexts{report::format_sweep, report::sweep_csv, report::markdown_sweep}};
  return run_batch(options.batch, std::move(variants), kind);
}

}  // namespace heddle::cli
