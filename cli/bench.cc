#include "cli/bench.h"

#include <iostream>

#include "bench/in_child.h"
#include "bench/sim_bench.h"
#include "cli/exit_status.h"
#include "core/policy/table.h"

namespace heddle {
namespace {

using wire::Json;

/// What takes less is measured so many times.
constexpr double kShort_s = 1;
constexpr int kTimes = 3;

Result<Json> measure(const SimLoad& load) {
  std::vector<Json> rows;
  do {
    Result<Json> row = in_child([&] { return measure_sim(load); });
    if (!row) return row;
    rows.push_back(*std::move(row));
  } while (rows.front().at("cpu_s") < kShort_s && std::ssize(rows) < kTimes);
  Json row = median_row(rows);
  row["runs"] = rows.size();
  return row;
}

Result<std::vector<Json>> measure_all(const SimBenchOptions& options,
                                      const std::vector<std::string>& schedulers) {
  SimLoad load = options.load;
  load.dispatch = options.dispatch == "immediate" ? Dispatch::kImmediate : Dispatch::kHeartbeat;
  std::vector<SimLoad> loads;
  // All are checked before the first is measured, which may take a while.
  for (const std::string& scheduler : schedulers) {
    Result<PolicySpec> policy = parse_policy(scheduler);
    if (!policy) return std::move(policy).error().in("--schedulers");
    load.policy = *policy;
    loads.push_back(load);
  }
  std::vector<Json> rows;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    for (int nodes : options.nodes) {
      const std::string what = schedulers[i] + ", " + std::to_string(nodes) + " nodes";
      say(what);
      loads[i].nodes = nodes;
      Result<Json> row = measure(loads[i]);
      if (!row) return std::move(row).error().in(what);
      (*row)["scheduler"] = schedulers[i];
      (*row)["dispatch"] = options.dispatch;
      rows.push_back(*std::move(row));
    }
  }
  return rows;
}

}  // namespace

int sim_bench_command(const SimBenchOptions& options) {
  Result<std::vector<Json>> rows =
      measure_all(options, options.schedulers.empty() ? built_schedulers() : options.schedulers);
  if (!rows) return fail(rows.error());
  const Json results = sim_results(*std::move(rows));
  std::cout << (options.json ? results.dump(2) + "\n" : format_sim_results(results));
  return kExitDone;
}

}  // namespace heddle
