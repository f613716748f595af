#include "cli/batch/collect.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/policy/own_options.h"
#include "report/comparison/comparison.h"
#include "report/comparison/fault_cost.h"

namespace heddle::cli {
namespace {

using wire::Json;

Json lines_json(const std::vector<RunLine>& lines) {
  Json json = Json::array();
  for (const RunLine& line : lines) {
    json.push_back({{"dir", line.dir},
                    {"seed", line.seed},
                    {"status", line.status.empty() ? Json() : Json(line.status)}});
    if (line.disturbed) json.back()["disturbed"] = true;
  }
  return json;
}

// Comparisons -------------------------------------------------------------------------------------

/// Returns the value to which a variant sets a key of the scenario, or null if the variant does not
/// change the key.
Json value_in(const Variant& variant, const std::string& key) {
  Json value;
  for (const std::string& assignment : variant.set)
    if (assignment.starts_with(key + "=")) value = assignment.substr(key.size() + 1);
  return value;
}

/// Returns the keys that variants change, except the keys of the policy. Each is {"key", "values"},
/// as in differing_options().
Json changed_keys(const std::vector<Variant>& variants) {
  std::vector<std::string> keys;
  for (const Variant& variant : variants)
    for (const std::string& assignment : variant.set) {
      std::string key = assignment.substr(0, assignment.find('='));
      if (!key.starts_with("policy.") && std::ranges::find(keys, key) == keys.end())
        keys.push_back(std::move(key));
    }
  Json rows = Json::array();
  for (const std::string& key : keys) {
    Json values = Json::array();
    for (const Variant& variant : variants) values.push_back(value_in(variant, key));
    rows.push_back({{"key", key}, {"values", std::move(values)}});
  }
  return rows;
}

/// Returns the parts of a summary that the cost of faults needs.
std::optional<Json> cost_summary(const std::optional<Json>& summary) {
  if (!summary) return std::nullopt;
  Json slim = Json::object(), jobs = Json::array();
  for (const char* key : {"makespan_s", "mean_waiting_s", "mean_completion_s"})
    slim[key] = summary->value(key, Json());
  for (const Json& job : summary->at("jobs"))
    jobs.push_back({{"name", job.at("name")}, {"completion_s", job.value("completion_s", Json())}});
  slim["jobs"] = std::move(jobs);
  return slim;
}

std::vector<std::string> names_of(const std::vector<Variant>& variants) {
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.push_back(variant.name);
  return names;
}

std::vector<bool> exact_of(const std::vector<Variant>& variants) {
  std::vector<bool> exact;
  for (const Variant& variant : variants) exact.push_back(variant.exact);
  return exact;
}

/// Gives each policy of a program the declared default of an option that another policy sets.
void add_defaults(const std::vector<Variant>& variants,
                  std::vector<std::optional<Json>>& summaries) {
  std::set<std::string> set;
  for (const std::optional<Json>& summary : summaries)
    if (summary && summary->contains("policy"))
      for (const auto& [key, value] : summary->at("policy").items())
        if (is_own_option(key)) set.insert(key);
  for (std::size_t i = 0; i < summaries.size() && !set.empty(); ++i) {
    if (!summaries[i] || !summaries[i]->contains("policy")) continue;
    Json& policy = summaries[i]->at("policy");
    for (const auto& [name, value] : variants[i].defaults)
      if (const std::string key = std::string(kOwnOption) + name;
          set.contains(key) && !policy.contains(key))
        policy[key] = value;
  }
}

/// Notes in the entry of a variant whether its runs depend on chance.
void note_exact(const Variant& variant, Json& entry) {
  if (variant.exact) entry["exact"] = true;
}

class ComparisonCollector : public Collector {
 public:
  explicit ComparisonCollector(const BatchPlan& plan)
      : plan_(plan), comparison_(names_of(plan.variants), plan.groups, exact_of(plan.variants)) {
    if (plan.without_faults) costs_.resize(plan.variants.size() / 2);
  }

  void add(const std::vector<std::optional<CellRecord>>& records) override {
    report::RepeatRuns runs;
    for (const std::optional<CellRecord>& record : records) {
      runs.summaries.push_back(record ? record->summary : std::nullopt);
      runs.references.push_back(record ? record->references : report::JobReferences());
      runs.affected.push_back(record && record->disturbed);
    }
    add_defaults(plan_.variants, runs.summaries);
    comparison_.add(runs);
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      add_costs(records[2 * i], costs_[i].measured.without, costs_[i].predicted.without);
      add_costs(records[2 * i + 1], costs_[i].measured.with, costs_[i].predicted.with);
    }
  }

  Json json(const RunLines& runs) const override {
    Json policies = Json::array();
    for (std::size_t i = 0; i < plan_.variants.size(); ++i) {
      policies.push_back({{"name", plan_.variants[i].name}, {"runs", lines_json(runs[i])}});
      note_exact(plan_.variants[i], policies.back());
    }
    Json json = {{"policies", std::move(policies)}};
    json.update(comparison_.json());
    for (Json& row : changed_keys(plan_.variants)) json["options"].push_back(std::move(row));
    if (!plan_.without_faults) return json;
    Json costs = Json::array();
    for (std::size_t i = 0; i < costs_.size(); ++i)
      costs.push_back(report::fault_cost(plan_.variants[2 * i + 1].name, plan_.variants[2 * i].name,
                                         costs_[i].measured, costs_[i].predicted));
    json["fault_costs"] = std::move(costs);
    for (const Json& cost : json["fault_costs"])
      json["in_words"].push_back(report::cost_in_words(cost));
    return json;
  }

 private:
  struct Costs {
    report::FaultRuns measured, predicted;
  };
  using Summaries = std::vector<std::optional<Json>>;
  static void add_costs(const std::optional<CellRecord>& record, Summaries& measured,
                        Summaries& predicted) {
    measured.push_back(record ? cost_summary(record->summary) : std::nullopt);
    predicted.push_back(record ? cost_summary(record->predicted) : std::nullopt);
  }

  const BatchPlan& plan_;
  report::Comparison comparison_;
  std::vector<Costs> costs_;  ///< of each pair of variants
};

// Sweeps ------------------------------------------------------------------------------------------

std::string key_of(const report::RunFigure& figure) {
  if (figure.group.kind == "all") return figure.metric->key;
  return figure.group.kind + "." + figure.group.name + "." + figure.metric->key;
}

std::string title_of(const report::RunFigure& figure) {
  if (figure.group.kind == "all") return figure.metric->title;
  const std::string kind = figure.group.kind == "workload" ? "" : figure.group.kind + " ";
  return kind + figure.group.name + ": " + figure.metric->title;
}

/// Returns the figures of a record, sorted by group and then by metric.
std::vector<report::RunFigure> run_figures(const CellRecord& record) {
  std::vector<report::RunFigure> figures;
  for (const auto& [group, values] : record.figures)
    for (const report::ComparisonMetric& metric : report::comparison_metrics())
      if (const auto value = values.find(metric.key); value != values.end())
        figures.push_back({group, &metric, value->second});
  return figures;
}

class SweepCollector : public Collector {
 public:
  explicit SweepCollector(const BatchPlan& plan) : plan_(plan), points_(plan.variants.size()) {}

  void add(const std::vector<std::optional<CellRecord>>& records) override {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      points_[i].affected.push_back(records[i] && records[i]->disturbed);
      if (!records[i]) continue;
      for (const report::RunFigure& figure : run_figures(*records[i])) {
        auto [it, fresh] = points_[i].values.try_emplace(key_of(figure));
        if (fresh) points_[i].heads.push_back(figure);
        it->second.resize(repeats_);
        it->second.push_back(figure.value);
      }
    }
    ++repeats_;
  }

  Json json(const RunLines& runs) const override {
    Json over = Json::array(), points = Json::array();
    for (const SweptKey& key : plan_.over)
      over.push_back({{"key", key.key}, {"values", key.values}});
    const std::vector<std::vector<std::string>> values = points_of(plan_.over);
    for (std::size_t i = 0; i < values.size(); ++i) {
      points.push_back({{"values", values[i]},
                        {"runs", lines_json(runs[i])},
                        {"metrics", metrics_json(points_[i], runs[i].size())}});
      note_exact(plan_.variants[i], points.back());
    }
    return {{"over", std::move(over)}, {"points", std::move(points)}};
  }

 private:
  /// The metrics of a point, by key. The heads are in the order in which they first appear in the
  /// runs.
  struct Point {
    std::vector<report::RunFigure> heads;
    std::map<std::string, report::Values> values;
    std::vector<bool> affected;  ///< by repeat
  };

  static Json metrics_json(const Point& point, std::size_t repeats) {
    Json json = Json::object();
    for (const report::RunFigure& head : point.heads) {
      const std::string key = key_of(head);
      report::Values values = point.values.at(key);
      values.resize(repeats);
      Json metric = {{"title", title_of(head)},
                     {"unit", head.metric->unit},
                     {"better", report::better_json(*head.metric)},
                     {"headline", head.metric->headline && head.group.kind == "all"}};
      metric.update(report::spread_json(values, point.affected));
      json[key] = std::move(metric);
    }
    return json;
  }

  const BatchPlan& plan_;
  std::size_t repeats_ = 0;
  std::vector<Point> points_;
};

}  // namespace

std::unique_ptr<Collector> make_collector(const BatchPlan& plan) {
  if (plan.kind == "sweep") return std::make_unique<SweepCollector>(plan);
  return std::make_unique<ComparisonCollector>(plan);
}

}  // namespace heddle::cli
