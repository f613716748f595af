#include "cli/batch/batch_prepare.h"

#include <algorithm>

#include "cli/base/exit_status.h"
#include "cli/base/with_option.h"
#include "cli/run/run_checks.h"
#include "core/policy/own_options.h"
#include "core/policy/registry.h"
#include "core/randomness.h"
#include "core/resolve.h"
#include "core/scenario/doubts.h"
#include "host/host_resources.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

constexpr std::optional<double> EmulationSpec::*kFactors[] = {
    &EmulationSpec::time_scale, &EmulationSpec::core_fraction, &EmulationSpec::memory_scale,
    &EmulationSpec::data_scale};

/// Share of the available memory with which factors are chosen. It is below 1 because slightly less
/// memory can be available to later runs.
constexpr double kMemoryShare = 0.95;

}  // namespace

BatchScenarios::BatchScenarios(const BatchPlan& plan, const RunOptions& run, bool typed)
    : plan_(plan), run_(run), typed_(typed) {
  run_.scenario = plan.file;
  run_.overrides = plan.overrides;
  run_.policy_arguments = plan.policy_arguments;
}

Result<void> BatchScenarios::complete(BatchPlan& plan, const RunOptions& run,
                                      const std::string& had) {
  // The reader of scenarios has the best messages about errors in the file itself.
  Overrides overrides = plan.overrides;
  overrides.seed = run.overrides.seed;
  Result<CheckedScenario> plain = workloads::read_scenario_text(plan.text, plan.file, overrides);
  if (!plain) return std::move(plain).error();
  plan.scenario = plain->scenario.name;
  plan.seed = plain->scenario.seed;
  if (!had.empty()) {
    Result<CheckedScenario> before =
        workloads::read_scenario_text(had, "scenario.yaml of an earlier run");
    if (!before) return std::move(before).error();
    plan.factors = before->scenario.emulation;
  } else if (!plan.simulate) {
    plan.factors.time_scale.reset();
  }
  BatchScenarios scenarios(plan, run, true);
  scenarios.warns_ = true;
  Result<Checked> checked = scenarios.check();
  if (!checked) return std::move(checked).error();
  plan.factors = checked->factors;
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    plan.variants[i].exact = checked->exact[i];
    plan.variants[i].defaults = std::move(checked->defaults[i]);
  }
  return {};
}

bool BatchScenarios::runs_external(const Variant& variant) const {
  if (run_.allow_exec) return true;
  if (!typed_) return false;
  if (!variant.policy || plan_.from_file) return plan_.overrides.policy.has_value();
  const Result<PolicySpec> policy = parse_policy(*variant.policy);
  return policy && policy->external;
}

Result<BatchScenarios::Checked> BatchScenarios::check() {
  for (const std::string& text : plan_.with)
    if (Result<void> good = check_with_option(text); !good)
      return std::move(good).error().in("--with " + text);
  Checked checked{plan_.factors, {}, {}};
  std::vector<PolicySpec> policies;
  for (std::size_t i = 0; i < plan_.variants.size(); ++i) {
    const Result<CheckedScenario> read = resolved({i, 0});
    if (!read) return read.error();
    const Scenario& scenario = read->scenario;
    checked.exact.push_back(plan_.simulate && !read->drawn_jobs && !depends_on_chance(scenario));
    HEDDLE_TRY(check_own_options(variant_policy(plan_.variants[i]), scenario));
    policies.push_back(scenario.policy);
    const std::optional<ExternalSpec>& external = scenario.policy.external;
    has_endpoint_ |= external && !external->endpoint.empty();
    if (!plan_.simulate) HEDDLE_TRY(check_runnable(options_for(run_, scenario), scenario));
    for (auto factor : kFactors) {
      const std::optional<double>& one = scenario.emulation.*factor;
      std::optional<double>& least = checked.factors.*factor;
      if (one) least = std::min(least.value_or(*one), *one);
    }
  }
  for (const std::string& text : plan_.with)
    if (!taken_.contains(text))
      return usage_error("--with " + text +
                         ": none of the policies uses this option; expected an option that one of "
                         "them uses (heddle policies NAME lists them)");
  for (std::size_t i = 0; i < policies.size(); ++i)
    checked.defaults.push_back(
        declared_defaults(variant_policy(plan_.variants[i]), std::move(policies[i])));
  return checked;
}

Result<CheckedScenario> BatchScenarios::read(const Variant& variant, int repeat) {
  Overrides overrides = plan_.overrides;
  if (variant.policy) overrides.policy = variant.policy;
  overrides.set.insert(overrides.set.end(), variant.set.begin(), variant.set.end());
  overrides.seed = seed_of(plan_, repeat);
  for (const std::string& assignment : overrides.set)
    if (assignment.starts_with("seed="))
      return usage_error("--set " + assignment +
                         ": would give all repeats the same seed; expected --seed, which sets the "
                         "seed of the first repeat");
  if (!plan_.with.empty()) {
    Result<CheckedScenario> plain = read(variant, overrides);
    if (!plain) return plain;
    Result<std::vector<std::string>> more = with(variant, overrides, plain->scenario.policy);
    if (!more) return std::move(more).error();
    overrides.set.insert(overrides.set.end(), more->begin(), more->end());
  }
  return read(variant, overrides);
}

Result<CheckedScenario> BatchScenarios::read(const Variant& variant, const Overrides& overrides) {
  Result<CheckedScenario> checked =
      workloads::read_scenario_text(plan_.text, plan_.file, overrides);
  if (!checked) return std::move(checked).error().in(variant.name);
  warn(checked->warnings);
  warn(doubts(checked->scenario));
  return checked;
}

Result<std::vector<std::string>> BatchScenarios::with(const Variant& variant,
                                                      const Overrides& overrides,
                                                      const PolicySpec& policy) {
  std::vector<std::string> assignments;
  for (const std::string& text : plan_.with) {
    const std::string key = text.substr(0, text.find('='));
    Result<PolicySpec> named = parse_policy(variant.policy.value_or("fifo"));
    if (!named) return std::move(named).error();
    const std::string assignment = assignment_of_with(key) + "=";
    if (std::ranges::any_of(named->options, [&](auto& option) { return option.first == key; }) ||
        std::ranges::any_of(overrides.set, [&](auto& set) { return set.starts_with(assignment); }))
      return usage_error("--with " + text + ": " + variant.name + " sets " + key +
                         " itself; expected it in one of the two places");
    const Option* option = find_option(key);
    if (is_own_option(key) ? !policy.external : option && !reads(policy, *option)) continue;
    assignments.push_back(assignment_of_with(text));
    taken_.insert(text);
  }
  return assignments;
}

PolicyOptions BatchScenarios::variant_policy(const Variant& variant) const {
  PolicyOptions policy = run_.policy();
  policy.named = typed_ && (policy.named || (variant.policy && !plan_.from_file));
  return policy;
}

/// Asks each program once what it declares.
Result<const external::Description*> BatchScenarios::description(const PolicyOptions& options,
                                                                 const Scenario& scenario) {
  const std::string program = policy_text({"external", {}, scenario.policy.external});
  auto known = descriptions_.find(program);
  if (known == descriptions_.end()) {
    Result<external::Description> description = describe_policy(options, scenario);
    if (!description) return std::move(description).error();
    known = descriptions_.emplace(program, *std::move(description)).first;
  }
  return &known->second;
}

Result<void> BatchScenarios::check_own_options(const PolicyOptions& options,
                                               const Scenario& scenario) {
  if (own_options(scenario.policy).empty()) return {};
  const Result<const external::Description*> known = description(options, scenario);
  if (!known) return known.error();
  described_.insert(program_name(*scenario.policy.external));
  return external::check_own_options(scenario.policy, **known);
}

/// A program of which no variant has options may not know the request `describe`, and is not asked.
/// A Python class listens at another endpoint in each variant, under the same name.
std::map<std::string, std::string> BatchScenarios::declared_defaults(const PolicyOptions& options,
                                                                     PolicySpec policy) {
  std::map<std::string, std::string> defaults;
  if (!policy.external || !described_.contains(program_name(*policy.external))) return defaults;
  Scenario scenario;
  scenario.policy = std::move(policy);
  const Result<const external::Description*> known = description(options, scenario);
  if (!known || !(*known)->options) return defaults;
  for (const external::DeclaredOption& option : *(*known)->options)
    defaults.emplace(option.name, option.by_default);
  return defaults;
}

Result<CheckedScenario> BatchScenarios::resolved(const BatchPlace& place) {
  const Variant& variant = plan_.variants[place.variant];
  Result<CheckedScenario> read = this->read(variant, place.repeat);
  if (!read) return read;
  Scenario& scenario = read->scenario;
  PolicyOptions policy = variant_policy(variant);
  if (!scenario.policy.external) policy.arguments.reset();  // they are for other variants
  HEDDLE_TRY(settle_policy(policy, scenario));
  if (plan_.simulate) {
    warn(unknown_work(scenario));
    scenario = resolve_simulated(scenario);
    return read;
  }
  fill_in(scenario.emulation);
  HostResources room = host::host_resources();
  if (!scenario.emulation.memory_scale)
    room.memory = real::Bytes(
        static_cast<std::int64_t>(kMemoryShare * static_cast<double>(room.memory.count())));
  Result<CheckedScenario> fits = resolve(scenario, room);
  if (!fits) return std::move(fits).error().in(variant.name);
  warn(fits->warnings);
  scenario = std::move(fits->scenario);
  return read;
}

Result<Scenario> BatchScenarios::scenario(const BatchPlace& place) {
  Result<CheckedScenario> read = resolved(place);
  if (!read) return std::move(read).error();
  return std::move(read->scenario);
}

void BatchScenarios::fill_in(EmulationSpec& emulation) const {
  for (auto factor : kFactors)
    if (!(emulation.*factor)) emulation.*factor = plan_.factors.*factor;
}

void BatchScenarios::warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    if (warns_ && warned_.insert(warning).second) say("warning: " + warning);
}

}  // namespace heddle::cli
