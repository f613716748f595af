#include "bench/commands/commands.h"

#include <iostream>

#include "bench/commands/measuring.h"
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

/// A simulation that takes less than kShort_s is measured kTimes times.
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

/// A case of `heddle bench sim`: one row of its results.
struct SimCase {
  std::string scheduler;
  SimLoad load;
};

Result<std::vector<SimCase>> cases_of(const SimBenchOptions& options) {
  SimLoad load = options.load;
  load.dispatch = options.dispatch == "immediate" ? Dispatch::kImmediate : Dispatch::kHeartbeat;
  load.journal_heartbeats = options.journal == "full";
  std::vector<SimCase> cases;
  for (const std::string& scheduler :
       options.schedulers.empty() ? scheduler_names(false) : options.schedulers) {
    Result<PolicySpec> policy = parse_policy(scheduler);
    if (!policy) return std::move(policy).error().in("--schedulers");
    load.policy = *policy;
    for (int nodes : options.nodes) {
      if (options.quick && nodes > kQuickNodes) continue;
      load.nodes = nodes;
      cases.push_back({scheduler, load});
    }
  }
  return cases;
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

int print_bench(const Result<Json>& results, bool json, FormatResults format) {
  if (!results) {
    const int status = cli::fail(results.error());
    return cli::asked_to_stop() ? kExitInterrupted : status;
  }
  std::cout << (json ? results->dump(2) + "\n" : format(*results));
  return kExitDone;
}

int print_rows(const Result<std::vector<Json>>& rows, Json (*results_of)(std::vector<Json>),
               bool json, FormatResults format) {
  return print_bench(rows ? Result<Json>(results_of(*rows)) : rows.error(), json, format);
}

int compare_bench_command(const CompareBenchOptions& options) {
  return print_bench(compare(options.files), options.json, format_result_comparison);
}

int sim_bench_command(const SimBenchOptions& options) {
  // All cases are checked before the first case is measured, because measuring can take a long
  // time.
  Result<std::vector<SimCase>> cases = cases_of(options);
  if (!cases) return cli::fail(cases.error());
  const auto title_of = [](const SimCase& one) {
    return one.scheduler + ", " + std::to_string(one.load.nodes) + " nodes";
  };
  const auto rows = measure_each(*cases, title_of, [&](const SimCase& one) {
    Result<Json> row = measure(one.load);
    if (row)
      row->update({{"scheduler", one.scheduler},
                   {"dispatch", options.dispatch},
                   {"journal", options.journal}});
    return row;
  });
  return print_rows(rows, sim_results, options.json, format_sim_results);
}

}  // namespace heddle::bench
