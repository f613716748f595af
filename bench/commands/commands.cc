#include "bench/commands/commands.h"

#include <iostream>

#include "bench/compare_results.h"
#include "bench/in_child.h"
#include "bench/sim_bench.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "common/file.h"
#include "core/policy/registry.h"

namespace heddle::bench {
namespace {

using wire::Json;

/// What takes less is measured so many times.
constexpr double kShort_s = 1;
constexpr int kTimes = 3;
constexpr int kQuickNodes = 1000;

Result<Json> measure(const SimLoad& load) {
  std::vector<Json> rows;
  do {
    Result<Json> row = in_child([&] { return measure_sim(load); });
    if (!row) return row;
    rows.push_back(*std::move(row));
  } while (rows.front().at("cpu_s") < kShort_s && std::ssize(rows) < kTimes);
  return combined_sim(rows);
}

Result<std::vector<Json>> measure_all(const SimBenchOptions& options,
                                      const std::vector<std::string>& schedulers) {
  SimLoad load = options.load;
  load.dispatch = options.dispatch == "immediate" ? Dispatch::kImmediate : Dispatch::kHeartbeat;
  load.journal_heartbeats = options.journal == "full";
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
      if (options.quick && nodes > kQuickNodes) continue;
      const std::string what = schedulers[i] + ", " + std::to_string(nodes) + " nodes";
      cli::say(what);
      loads[i].nodes = nodes;
      Result<Json> row = measure(loads[i]);
      if (!row) return std::move(row).error().in(what);
      (*row)["scheduler"] = schedulers[i];
      (*row)["dispatch"] = options.dispatch;
      (*row)["journal"] = options.journal;
      rows.push_back(*std::move(row));
    }
  }
  return rows;
}

Result<Json> read_results(const std::string& file) {
  Result<std::string> text = read_file(file);
  if (!text) return std::move(text).error();
  Result<Json> results = read_bench_results(*text);
  if (!results) return std::move(results).error().in(file);
  return results;
}

Result<Json> compare(const std::vector<std::string>& files) {
  if (files.empty())
    return usage_error("bench needs a name or --compare; heddle bench --help lists them");
  Result<Json> a = read_results(files[0]);
  if (!a) return a;
  Result<Json> b = read_results(files[1]);
  if (!b) return b;
  Result<Json> both = compare_results(*a, *b);
  if (!both) return std::move(both).error().in(files[0] + ", " + files[1]);
  return both;
}

}  // namespace

int bench_failed(const Error& error) {
  const int status = cli::fail(error);
  return cli::asked_to_stop() ? kExitInterrupted : status;
}

int print_bench(const Json& results, bool json, std::string (*format)(const Json&)) {
  std::cout << (json ? results.dump(2) + "\n" : format(results));
  return kExitDone;
}

int compare_bench_command(const CompareBenchOptions& options) {
  Result<Json> both = compare(options.files);
  if (!both) return cli::fail(both.error());
  return print_bench(*both, options.json, format_result_comparison);
}

int sim_bench_command(const SimBenchOptions& options) {
  Result<std::vector<Json>> rows =
      measure_all(options, options.schedulers.empty() ? scheduler_names() : options.schedulers);
  if (!rows) return cli::fail(rows.error());
  return print_bench(sim_results(*std::move(rows)), options.json, format_sim_results);
}

}  // namespace heddle::bench
