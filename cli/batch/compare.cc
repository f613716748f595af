#include "cli/batch/compare.h"

#include <algorithm>
#include <utility>

#include "cli/batch/planned.h"
#include "cli/batch/print_again.h"
#include "common/text.h"
#include "core/policy/own_options.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

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
      variants.push_back({policy_label(scenario->scenario.policy), std::nullopt, {}});
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

/// Prints a comparison that is there, maybe against another baseline.
Result<int> print_comparison_again(const CompareOptions& options) {
  const BatchOptions& batch = options.batch;
  Result<BatchPlan> plan = plan_to_print(batch, "compare",
                                         {{!options.policies.empty(), "--policies"},
                                          {!options.variants.empty(), "--variant"},
                                          {options.without_faults, "--without-faults"},
                                          {!options.groups.empty(), "--group"}});
  if (!plan) return std::move(plan).error();
  if (plan->without_faults && !options.against.empty())
    return usage_error("--against: " + batch.run.scenario +
                       " compares each policy with its runs without faults; expected a comparison "
                       "that was made without --without-faults");
  HEDDLE_TRY(put_first(plan->variants, options.against));
  return print_again(batch, *plan);
}

}  // namespace

Result<void> put_first(std::vector<Variant>& variants, const std::string& against) {
  if (against.empty()) return {};
  std::vector<std::string> names;
  for (const Variant& variant : variants) names.push_back(variant.name);
  const auto found = std::ranges::find_if(variants, [&](const Variant& variant) {
    return variant.name == against || variant.policy == against;
  });
  if (found == variants.end())
    return usage_error(with_nearest(
        "--against: no variant is called '" + against + "'; expected one of " + join(names),
        against, names));
  std::rotate(variants.begin(), found, found + 1);
  return {};
}

Result<std::vector<report::NamedWorkloads>> parse_groups(const std::vector<std::string>& texts) {
  std::vector<report::NamedWorkloads> groups;
  for (const std::string& text : texts) {
    Result<report::NamedWorkloads> group = parse_group(text);
    if (!group) return std::move(group).error();
    groups.push_back(*std::move(group));
  }
  return groups;
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

Result<int> compare_command(const CompareOptions& given) {
  if (prints_again(given.batch)) return print_comparison_again(given);
  CompareOptions options = given;
  BatchPlan& plan = options.batch.plan;
  plan.kind = "compare";
  plan.without_faults = options.without_faults;
  plan.predict = options.without_faults && !plan.simulate;
  HEDDLE_TRY(put(variants_of(options), plan.variants));
  HEDDLE_TRY(put_first(plan.variants, options.against));
  HEDDLE_TRY(put(parse_groups(options.groups), plan.groups));
  return carry_out(options.batch);
}

}  // namespace heddle::cli
