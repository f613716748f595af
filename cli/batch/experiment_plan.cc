#include "cli/batch/experiment_plan.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "cli/batch/batch_prepare.h"
#include "cli/results/variant_directory.h"
#include "common/result_files.h"
#include "core/resolve.h"
#include "report/simulated.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

constexpr std::chrono::seconds kStartAndEnd{1};

int missing_runs(const std::string& out, const BatchPlan& plan, std::size_t variant) {
  int missing = 0;
  for (int repeat = 0; repeat < repeats_of(plan.variants[variant], plan.repeat); ++repeat)
    missing += std::filesystem::exists(summary_path(out + "/" + cell_name(plan, {variant, repeat})))
                   ? 0
                   : 1;
  return missing;
}

Result<real::Duration> length_of_run(BatchScenarios& scenarios, std::size_t variant) {
  Result<Scenario> scenario = scenarios.scenario({variant, 0});
  if (!scenario) return std::move(scenario).error();
  Result<wire::Json> summary = report::simulated_summary(resolve_simulated(*scenario));
  if (!summary) return std::move(summary).error();
  const wire::Json& makespan = summary->at("makespan_s");
  const EmuTime emulated = emu_seconds(makespan.is_number() ? makespan.get<double>() : 0);
  return scenario->scale().to_real(emulated) + kStartAndEnd;
}

}  // namespace

Result<RealPlan> plan_real_runs(const BatchOptions& options) {
  Result<BatchPlan> plan = complete_plan(options, "");
  if (!plan) return std::move(plan).error();
  BatchScenarios scenarios(*plan, options.run, true);
  RealPlan real;
  for (std::size_t i = 0; i < plan->variants.size(); ++i) {
    const int runs = missing_runs(options.run.out, *plan, i);
    if (runs == 0) continue;
    Result<real::Duration> length = length_of_run(scenarios, i);
    if (!length) return std::move(length).error();
    real.runs += runs;
    real.time += runs * *length;
  }
  return real;
}

std::string text_of(const RealPlan& plan) {
  return fmt::format("{} real run{}, about {} min", plan.runs, plan.runs == 1 ? "" : "s",
                     std::chrono::ceil<std::chrono::minutes>(plan.time).count());
}

}  // namespace heddle::cli
