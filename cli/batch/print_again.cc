#include "cli/batch/print_again.h"

#include <filesystem>

#include "cli/base/browser.h"
#include "cli/batch/gather.h"

namespace heddle::cli {
namespace {

/// Returns the first option that only makes sense if runs are made; "" if none was given.
std::string option_of_runs(const BatchOptions& batch, GivenOptions given) {
  const GivenOptions of_batches = {{!batch.run.out.empty(), "--out"},
                                   {!batch.plan_dir.empty(), "--plan"},
                                   {!batch.on.empty(), "--on"},
                                   {!batch.run.overrides.set.empty(), "--set"},
                                   {batch.run.overrides.seed.has_value(), "--seed"},
                                   {!batch.plan.with.empty(), "--with"},
                                   {batch.plan.simulate, "--simulate"},
                                   {batch.repeat.has_value(), "--repeat"},
                                   {batch.rerun_affected > 0, "--rerun-affected"},
                                   {!batch.plan.price.empty(), "--price"}};
  given.insert(given.end(), of_batches.begin(), of_batches.end());
  for (const auto& [is_given, name] : given)
    if (is_given) return name;
  return "";
}

}  // namespace

bool prints_again(const BatchOptions& options) {
  std::error_code error;
  return std::filesystem::is_directory(options.run.scenario, error);
}

Result<BatchPlan> plan_to_print(const BatchOptions& options, const std::string& kind,
                                GivenOptions of_runs) {
  HEDDLE_TRY(check_printing(options.printing));
  const std::string& dir = options.run.scenario;
  Result<BatchPlan> plan = read_plan_in(dir);
  if (!plan) return plan;
  if (plan->kind != kind)
    return usage_error(dir + ": the results of a " + plan->kind + "; expected those of a " +
                       (kind == "compare" ? "comparison" : kind) + ", or a scenario");
  if (const std::string option = option_of_runs(options, std::move(of_runs)); !option.empty())
    return usage_error(option + ": " + dir +
                       " is a directory of results, which are printed without new runs; expected a "
                       "scenario, or no " +
                       option);
  return plan;
}

int print_again(const BatchOptions& options, const BatchPlan& plan) {
  const std::string& dir = options.run.scenario;
  const Gathered gathered = gather_records(dir, plan, nullptr);
  print_gathered(dir, plan, gathered, options.printing);
  if (options.printing.open) open_in_browser(batch_page(dir, plan));
  return status_of(gathered);
}

}  // namespace heddle::cli
