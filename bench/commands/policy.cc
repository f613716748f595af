#include <algorithm>

#include "bench/commands/commands.h"
#include "bench/commands/measuring.h"
#include "bench/in_child.h"
#include "bench/policy_bench.h"
#include "core/policy/registry.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr int kQuickPolicyNodes = 1000, kQuickPending = 10'000, kQuickHeartbeats = 4000;

/// Returns the names of all presets that take every job: schedulers, and presets that combine
/// several parts.
std::vector<std::string> all_policies() {
  std::vector<std::string> names;
  for (const PolicyPreset& preset : policy_presets())
    if (!preset.parts.front()->rigid_only) names.emplace_back(preset.name);
  return names;
}

Result<std::vector<PolicyLoad>> loads_of(const PolicyBenchOptions& options) {
  std::vector<PolicyLoad> loads;
  for (const std::string& scheduler :
       options.schedulers.empty() ? all_policies() : options.schedulers) {
    Result<PolicySpec> policy = parse_policy(scheduler);
    if (!policy) return std::move(policy).error().in("--schedulers");
    for (int pending : options.pending)
      for (int nodes : options.nodes) {
        const bool small = nodes <= kQuickPolicyNodes && pending <= kQuickPending;
        const bool judged = nodes == kPolicyAimNodes && pending == kPolicyAimPending;
        if (options.quick && !small && !judged) continue;
        PolicyLoad load{nodes, pending, *policy, options.seed};
        if (options.quick && small) load.heartbeats = kQuickHeartbeats;
        loads.push_back(load);
        load.executors = true;
        if (has_executor_load(*policy)) loads.push_back(load);
      }
  }
  return loads;
}

Result<Json> measure(const PolicyLoad& load, int times) {
  std::vector<Json> rows;
  while (std::ssize(rows) < times) {
    Result<Json> row = in_child([&]() -> Result<Json> { return measure_policy(load); });
    if (!row) return row;
    rows.push_back(*std::move(row));
  }
  return combined_policy(rows);
}

std::string scheduler_of(const PolicyLoad& load) {
  return policy_text(load.policy) + (load.executors ? kExecutorLoad : "");
}

/// Returns how many of the policies are programs outside of Heddle.
std::ptrdiff_t count_external(const std::vector<std::string>& policies) {
  return std::ranges::count_if(policies, [](const std::string& text) {
    const Result<PolicySpec> policy = parse_policy(text);
    return policy && policy->external;
  });
}

}  // namespace

int policy_bench_command(const PolicyBenchOptions& options) {
  // The load of this bench needs decisions at once. Programs have a bench of their own.
  if (const auto external = count_external(options.schedulers); external > 0) {
    if (external < std::ssize(options.schedulers))
      return cli::fail(usage_error(
          "--schedulers: programs are measured by other figures than Heddle's own policies; "
          "expected only programs, or none"));
    ExternalBenchOptions programs;
    programs.quick = options.quick;
    programs.json = options.json;
    programs.task_user = options.task_user;
    programs.policies = options.schedulers;
    return external_bench_command(programs);
  }
  // All cases are checked before the first case is measured, because measuring can take a long
  // time.
  Result<std::vector<PolicyLoad>> loads = loads_of(options);
  if (!loads) return cli::fail(loads.error());
  const auto title_of = [](const PolicyLoad& load) {
    return scheduler_of(load) + ", " + std::to_string(load.nodes) + " nodes, " +
           std::to_string(load.pending) + " pending tasks";
  };
  const auto rows = measure_each(*loads, title_of, [&](const PolicyLoad& load) {
    Result<Json> row = measure(load, options.repeat);
    if (row) (*row)["scheduler"] = scheduler_of(load);
    return row;
  });
  return print_rows(rows, policy_results, options.json, format_policy_results);
}

}  // namespace heddle::bench
