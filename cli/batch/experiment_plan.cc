#include "cli/batch/experiment_plan.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "cli/batch/batch_prepare.h"
#include "cli/results/variant_directory.h"
#include "core/resolve.h"
#include "report/simulated.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

constexpr std::chrono::seconds kStartAndEnd{1};

int missing_runs(const BatchOptions& options, const Variant& variant) {
  int missing = 0;
  for (int repeat = 1; repeat <= repeats_of(variant, options.repeat); ++repeat)
    missing += std::filesystem::exists(options.run.out + "/" + directory_of(variant.name) + "-" +
                                       std::to_string(repeat) + "/summary.json")
                   ? 0
                   : 1;
  return missing;
}

Result<real::Duration> length_of_run(BatchScenarios& scenarios, const Variant& variant) {
  Result<std::string> text = scenarios.text(variant, 0);
  if (!text) return std::move(text).error();
  Result<CheckedScenario> checked = workloads::read_scenario_text(*text, variant.name);
  if (!checked) return std::move(checked).error();
  Result<wire::Json> summary = report::simulated_summary(resolve_simulated(checked->scenario));
  if (!summary) return std::move(summary).error();
  const wire::Json& makespan = summary->at("makespan_s");
  const EmuTime emulated = emu_seconds(makespan.is_number() ? makespan.get<double>() : 0);
  return checked->scenario.scale().to_real(emulated) + kStartAndEnd;
}

}  // namespace

Result<RealPlan> plan_real_runs(const BatchOptions& options, const std::vector<Variant>& variants) {
  Result<BatchScenarios> scenarios = BatchScenarios::read(options, variants, "");
  if (!scenarios) return std::move(scenarios).error();
  RealPlan plan;
  for (const Variant& variant : variants) {
    const int runs = missing_runs(options, variant);
    if (runs == 0) continue;
    Result<real::Duration> length = length_of_run(*scenarios, variant);
    if (!length) return std::move(length).error();
    plan.runs += runs;
    plan.time += runs * *length;
  }
  return plan;
}

std::string text_of(const RealPlan& plan) {
  return fmt::format("{} real run{}, about {} min", plan.runs, plan.runs == 1 ? "" : "s",
                     std::chrono::ceil<std::chrono::minutes>(plan.time).count());
}

}  // namespace heddle::cli
