#include "cli/run/run_checks.h"

#include <optional>
#include <utility>

#include "core/policy/reduces/remaining_time.h"
#include "core/policy/registry.h"
#include "core/scenario/commands.h"
#include "host/task_user.h"
#include "worker/isolation.h"

namespace heddle::cli {
namespace {

/// Checks that the scenario runs only commands that the user allowed.
Result<void> check_commands(const RunOptions& options, const Scenario& scenario) {
  // The user can be that of a policy's program. A run of a comparison gets the rights that the
  // other runs need, too.
  const bool policy = options.allow_exec ||
                      (scenario.policy.external && !scenario.policy.external->program.empty());
  if (!options.allow_commands && (options.allow_unisolated_commands ||
                                  (!policy && (options.task_user || options.allow_root_commands))))
    return usage_error(
        "--task-user, --allow-root-commands and --allow-unisolated-commands need --allow-commands");
  if (!options.allow_commands) return check_no_commands(options.scenario, scenario);
  if (!options.bind.empty()) return {};  // each worker checks this itself
  Result<std::optional<host::TaskUser>> user = host::find_task_user(
      host::task_user_question(options.task_user, options.allow_root_commands));
  if (!user) return std::move(user).error();
  return options.allow_unisolated_commands ? Result<void>() : worker::check_namespaces();
}

/// Checks that the policy does not use the oracle, because the oracle knows the future only of
/// simulated tasks.
Result<void> check_predictor(const RunOptions& options, const Scenario& scenario) {
  if (value(scenario.policy, kPredictor) != PredictorKind::kOracle) return {};
  return usage_error(options.scenario +
                     ": predictor oracle is for simulations only (heddle simulate); expected "
                     "fuzzy or naive");
}

}  // namespace

Result<void> check_hosts(const RunOptions& options) {
  if (options.bind.empty()) {
    if (options.patience || !options.keys.empty())
      return usage_error("--keys and --patience need --bind");
    return {};
  }
  if (!options.bind.starts_with("tcp://"))
    return usage_error("--bind " + options.bind + ": expected tcp://ADDRESS:PORT");
  if (options.cgroup || options.task_user || options.allow_root_commands ||
      options.allow_unisolated_commands)
    return usage_error(
        "with --bind, pass --cgroup, --task-user, --allow-root-commands and "
        "--allow-unisolated-commands to heddle-worker instead");
  return {};
}

RunOptions options_for(RunOptions options, const Scenario& scenario) {
  if (!options.allow_commands && !scenario.policy.external) options.task_user.reset();
  return options;
}

Result<void> check_runnable(const RunOptions& options, const Scenario& scenario) {
  HEDDLE_TRY(check_commands(options, scenario));
  return check_predictor(options, scenario);
}

}  // namespace heddle::cli
