#include "cli/batch/compare.h"

#include <algorithm>

#include "common/text.h"
#include "core/policy/registry.h"
#include "report/comparison/comparison.h"
#include "report/comparison/csv.h"
#include "report/comparison/fault_cost.h"
#include "report/comparison/text.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

using wire::Json;

Result<std::vector<Variant>> variants_of(const CompareOptions& options) {
  std::vector<Variant> variants;
  if (!options.policies.empty()) {
    Result<std::vector<Variant>> policies = variants_of_policies(options.policies);
    if (!policies) return policies;
    variants = *std::move(policies);
  }
  for (const std::string& text : options.variants) {
    Result<Variant> variant = parse_variant(text);
    if (!variant) return std::move(variant).error();
    variants.push_back(*std::move(variant));
  }
  if (options.without_faults) {
    Result<CheckedScenario> scenario =
        workloads::read_scenario(options.batch.run.scenario, options.batch.run.overrides);
    if (!scenario) return std::move(scenario).error();
    if (scenario->scenario.faults.empty())
      return usage_error(options.batch.run.scenario +
                         ": the scenario has no faults; expected a list faults, whose cost "
                         "--without-faults measures");
    if (variants.empty())
      variants.push_back({policy_text(scenario->scenario.policy), std::nullopt, {}});
    return with_faultless(variants);
  }
  if (variants.empty())
    return usage_error("nothing to compare; expected --policies A,B or --variant \"NAME: …\"");
  return variants;
}

Result<report::NamedWorkloads> parse_group(const std::string& text) {
  const std::size_t equals = text.find('=');
  report::NamedWorkloads group;
  group.name = text.substr(0, equals);
  std::string rest = equals == std::string::npos ? "" : text.substr(equals + 1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    group.workloads.push_back(rest.substr(0, comma));
    rest.erase(0, comma + 1);
  }
  bool good = valid_name(group.name) && !group.workloads.empty();
  for (const std::string& workload : group.workloads) good &= valid_name(workload);
  if (!good)
    return usage_error("--group " + text +
                       ": expected NAME=WORKLOAD,WORKLOAD, such as spark=kmeans,pagerank");
  return group;
}

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

}  // namespace

Result<std::vector<report::NamedWorkloads>> parse_groups(const std::vector<std::string>& texts) {
  std::vector<report::NamedWorkloads> groups;
  for (const std::string& text : texts) {
    Result<report::NamedWorkloads> group = parse_group(text);
    if (!group) return std::move(group).error();
    groups.push_back(*std::move(group));
  }
  return groups;
}

Json comparison_of(const BatchState& state, const std::vector<report::NamedWorkloads>& groups) {
  std::vector<report::ComparedPolicy> compared;
  Json policies = Json::array();
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    const std::string& name = state.variants[i].name;
    policies.push_back({{"name", name}, {"runs", runs_json(state.runs[i])}});
    compared.push_back({name, {}, {}});
    for (const BatchRun& run : state.runs[i]) {
      compared.back().summaries.push_back(run.summary);
      compared.back().references.push_back(run.references);
    }
    repeats = std::max(repeats, compared.back().summaries.size());
  }
  // If a variant has fewer runs than another variant, the entries of its later repeats are empty.
  for (report::ComparedPolicy& policy : compared) {
    policy.summaries.resize(repeats);
    policy.references.resize(repeats);
  }
  Json json = {{"policies", std::move(policies)}};
  json.update(report::compare(compared, groups));
  for (Json& row : changed_keys(state.variants)) json["options"].push_back(std::move(row));
  return json;
}

std::vector<Variant> with_faultless(const std::vector<Variant>& variants) {
  std::vector<Variant> all;
  for (const Variant& variant : variants) {
    all.push_back(variant);
    all.back().name += kWithoutFaults;
    all.back().set.emplace_back("faults=[]");
    all.push_back(variant);
  }
  return all;
}

Json fault_costs(const BatchState& state) {
  Json costs = Json::array();
  for (std::size_t i = 0; i + 1 < state.variants.size(); i += 2) {
    report::FaultRuns measured, predicted;
    for (const BatchRun& run : state.runs[i]) {
      measured.without.push_back(run.summary);
      predicted.without.push_back(run.predicted);
    }
    for (const BatchRun& run : state.runs[i + 1]) {
      measured.with.push_back(run.summary);
      predicted.with.push_back(run.predicted);
    }
    costs.push_back(report::fault_cost(state.variants[i + 1].name, state.variants[i].name, measured,
                                       predicted));
  }
  return costs;
}

Result<int> compare_command(const CompareOptions& given) {
  CompareOptions options = given;
  options.batch.predict = options.without_faults && !options.batch.simulate;
  Result<std::vector<Variant>> variants = variants_of(options);
  if (!variants) return std::move(variants).error();
  Result<std::vector<report::NamedWorkloads>> groups = parse_groups(options.groups);
  if (!groups) return std::move(groups).error();
  const BatchKind kind = {
      "compare",
      [&](const BatchState& state) {
        Json json = comparison_of(state, *groups);
        if (!options.without_faults) return json;
        json["fault_costs"] = fault_costs(state);
        for (const Json& cost : json["fault_costs"])
          json["in_words"].push_back(report::cost_in_words(cost));
        return json;
      },
      BatchTexts{report::format_comparison, report::comparison_csv, report::markdown_comparison}};
  return run_batch(options.batch, *std::move(variants), kind);
}

}  // namespace heddle::cli
