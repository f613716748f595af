#include "cli/batch/sweep.h"

#include "cli/batch/compare.h"
#include "cli/batch/planned.h"
#include "cli/batch/print_again.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostKeys = 2;
constexpr std::size_t kMostPoints = 10000;

Result<std::vector<SweptKey>> keys_of(const std::vector<std::string>& over) {
  std::vector<SweptKey> keys;
  for (const std::string& text : over) {
    Result<SweptKey> key = parse_over(text);
    if (!key) return std::move(key).error();
    for (const SweptKey& other : keys)
      if (other.key == key->key) return usage_error("--over " + key->key + ": occurs twice");
    keys.push_back(*std::move(key));
  }
  if (keys.empty()) return usage_error("nothing to sweep; expected --over KEY=VALUE,...");
  if (keys.size() > kMostKeys)
    return usage_error("--over: " + std::to_string(keys.size()) +
                       " keys; expected one, or two for a grid");
  std::size_t points = 1;
  for (const SweptKey& key : keys) points *= key.values.size();
  if (points > kMostPoints)
    return usage_error("--over: " + std::to_string(points) + " points; expected at most " +
                       std::to_string(kMostPoints));
  return keys;
}

/// Prints a sweep that is there.
Result<int> print_sweep_again(const SweepOptions& options) {
  const BatchOptions& batch = options.batch;
  const Result<BatchPlan> plan =
      plan_to_print(batch, "sweep",
                    {{!options.over.empty(), "--over"},
                     {batch.run.overrides.policy.has_value(), "--policy"},
                     {!options.groups.empty(), "--group"}});
  if (!plan) return plan.error();
  return print_again(batch, *plan);
}

}  // namespace

Result<int> sweep_command(const SweepOptions& given) {
  if (prints_again(given.batch)) return print_sweep_again(given);
  SweepOptions options = given;
  BatchPlan& plan = options.batch.plan;
  plan.kind = "sweep";
  HEDDLE_TRY(put(keys_of(options.over), plan.over));
  HEDDLE_TRY(put(parse_groups(options.groups), plan.groups));
  for (const std::vector<std::string>& point : points_of(plan.over))
    plan.variants.push_back(variant_of_point(plan.over, point));
  return carry_out(options.batch);
}

}  // namespace heddle::cli
