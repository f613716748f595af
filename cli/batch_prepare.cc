#include "cli/batch_prepare.h"

#include <algorithm>

#include "cli/exit_status.h"
#include "cli/machine_room.h"
#include "common/file.h"
#include "core/scenario/resolve.h"
#include "core/scenario/writer.h"

namespace heddle {
namespace {

constexpr std::optional<double> EmulationSpec::*kFactors[] = {
    &EmulationSpec::time_scale, &EmulationSpec::core_fraction, &EmulationSpec::memory_scale,
    &EmulationSpec::data_scale};

/// Of what is available when factors are chosen: there may be a little less in later runs.
constexpr double kMemoryShare = 0.95;

}  // namespace

Result<BatchScenarios> BatchScenarios::read(const BatchOptions& options,
                                            const std::vector<Variant>& variants,
                                            const std::string& had) {
  // What is wrong with the file itself is told best by its reader.
  Result<CheckedScenario> plain = read_scenario(options.run.scenario, options.run.overrides);
  if (!plain) return std::move(plain).error();
  Result<std::string> file = read_file(options.run.scenario);
  if (!file) return std::move(file).error();
  BatchScenarios scenarios(options, *std::move(file));
  scenarios.name_ = plain->scenario.name;
  scenarios.first_seed_ = plain->scenario.seed;
  if (!had.empty()) {
    Result<CheckedScenario> before = read_scenario_text(had, "scenario.yaml of an earlier run");
    if (!before) return std::move(before).error();
    scenarios.factors_ = before->scenario.emulation;
  } else if (!options.simulate) {
    scenarios.factors_.time_scale.reset();
  }
  HEDDLE_TRY(scenarios.check(variants));
  return scenarios;
}

std::uint64_t BatchScenarios::seed(int repeat) const {
  const bool varies = options_.simulate || options_.vary_seed;
  return first_seed_ + (varies ? static_cast<std::uint64_t>(repeat) : 0);
}

Result<std::string> BatchScenarios::text(const Variant& variant, int repeat) {
  Result<Scenario> scenario = resolved(variant, repeat);
  if (!scenario) return std::move(scenario).error();
  return write_scenario(*scenario);
}

/// Finds the smallest factors on the way.
Result<void> BatchScenarios::check(const std::vector<Variant>& variants) {
  EmulationSpec smallest = factors_;
  for (const Variant& variant : variants) {
    Result<Scenario> scenario = resolved(variant, 0);
    if (!scenario) return std::move(scenario).error();
    if (!options_.simulate) HEDDLE_TRY(check_runnable(options_.run, *scenario));
    for (auto factor : kFactors) {
      const std::optional<double>& one = scenario->emulation.*factor;
      std::optional<double>& least = smallest.*factor;
      if (one) least = std::min(least.value_or(*one), *one);
    }
  }
  factors_ = smallest;
  return {};
}

Result<Scenario> BatchScenarios::read(const Variant& variant, int repeat) {
  Overrides overrides = options_.run.overrides;
  if (variant.policy) overrides.policy = variant.policy;
  overrides.set.insert(overrides.set.end(), variant.set.begin(), variant.set.end());
  overrides.seed = seed(repeat);
  Result<CheckedScenario> checked = read_scenario_text(file_, options_.run.scenario, overrides);
  if (!checked) return std::move(checked).error().in(variant.name);
  for (const std::string& assignment : overrides.set)
    if (assignment.starts_with("seed="))
      return usage_error("--set " + assignment +
                         ": would give all repeats the same; expected --seed for the first one's");
  warn(checked->warnings);
  return std::move(checked->scenario);
}

Result<Scenario> BatchScenarios::resolved(const Variant& variant, int repeat) {
  Result<Scenario> scenario = read(variant, repeat);
  if (!scenario) return scenario;
  if (options_.simulate) {
    warn(unknown_work(*scenario));
    return resolve_simulated(*scenario);
  }
  fill_in(scenario->emulation);
  MachineRoom room = machine_room();
  if (!scenario->emulation.memory_scale)
    room.memory = real::Bytes(
        static_cast<std::int64_t>(kMemoryShare * static_cast<double>(room.memory.count())));
  Result<CheckedScenario> resolved = resolve(*scenario, room);
  if (!resolved) return std::move(resolved).error().in(variant.name);
  warn(resolved->warnings);
  return std::move(resolved->scenario);
}

void BatchScenarios::fill_in(EmulationSpec& emulation) const {
  for (auto factor : kFactors)
    if (!(emulation.*factor)) emulation.*factor = factors_.*factor;
}

void BatchScenarios::warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings)
    if (warned_.insert(warning).second) say("warning: " + warning);
}

}  // namespace heddle
