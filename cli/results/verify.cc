#include <cmath>
#include <filesystem>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/base/policy_link.h"
#include "cli/results/commands.h"
#include "cli/results/results.h"
#include "core/resolve.h"
#include "report/agreement/agreement.h"
#include "report/agreement/run_spread.h"
#include "report/disturbance.h"
#include "report/simulated.h"

namespace heddle::cli {
namespace {

struct Measured {
  wire::Json summary;
  report::RunMemory memory;
};

/// Reads a run. Error: the run cannot be compared with a simulation.
Result<Measured> measured(const Scenario& scenario, const std::string& dir) {
  Result<report::RunHistory> history = report::read_history(dir, scenario, false);
  if (!history) return std::move(history).error();
  const wire::Json& summary = history->summary;
  if (summary.at("mode") != "real")
    return usage_error(
        dir +
        ": is a simulated run; expected a real one, which verify compares with its simulation");
  const wire::Json& status = summary.at("status");
  if (status != "done" && status != "failed")
    return usage_error(dir + ": the run did not reach its end" +
                       (status.is_string() ? " (" + status.get<std::string>() + ")" : ""));
  Measured run{summary, report::RunMemory(scenario)};
  for (const report::AttemptRow& attempt : history->attempts) run.memory.add(attempt);
  HEDDLE_TRY(report::each_sample(
      dir, scenario, [&](const report::UsageSample& sample) { run.memory.add(sample); }));
  return run;
}

/// Checks that the runs can be compared with each other.
Result<void> check_same(const std::vector<std::string>& dirs, const Scenario& scenario) {
  for (std::size_t i = 1; i < dirs.size(); ++i) {
    std::error_code error;
    for (std::size_t j = 0; j < i; ++j)
      if (std::filesystem::equivalent(dirs[i], dirs[j], error))
        return usage_error(dirs[i] + ": is given twice");
    Result<Scenario> other = scenario_of(dirs[i]);
    if (!other) return std::move(other).error();
    other->emulation = scenario.emulation;  // `auto` can give other factors in each run
    if (*other != scenario)
      return usage_error(dirs[i] + ": is a run of another scenario, policy or seed than " +
                         dirs[0]);
  }
  return {};
}

/// Simulates a scenario. If its policy is external, starts the policy's program for that.
Result<wire::Json> simulated(const PolicyOptions& options, const Scenario& scenario,
                             report::RunMemory* memory = nullptr) {
  if (!scenario.policy.external) return report::simulated_summary(scenario, memory);
  Result<std::unique_ptr<PolicyLink>> link = PolicyLink::start(options, scenario);
  if (!link) return std::move(link).error();
  Result<wire::Json> summary = report::simulated_summary(
      scenario, memory, [&](const std::string& request) { return (*link)->ask(request); },
      [&](const std::string& text) { (*link)->farewell(text); });
  if (summary && summary->at("status") == "aborted")
    return aborted_error(summary->at("reason").get<std::string>());
  return summary;
}

/// Returns simulations in which container starts take less or more time.
Result<std::vector<wire::Json>> other_delays(const PolicyOptions& options,
                                             const Scenario& scenario) {
  std::vector<wire::Json> others;
  for (double factor : {0.25, 0.5, 1.5, 2.0}) {
    Scenario other = scenario;
    other.simulation.launch_delay = std::chrono::nanoseconds(
        std::llround(factor * static_cast<double>(other.simulation.launch_delay.count())));
    Result<wire::Json> prediction = simulated(options, other);
    if (!prediction) return std::move(prediction).error();
    others.push_back(*std::move(prediction));
  }
  return others;
}

}  // namespace

Result<int> verify_command(const std::vector<std::string>& dirs, bool json,
                           const PolicyOptions& options) {
  Result<Scenario> scenario = scenario_of(dirs[0]);
  if (!scenario) return std::move(scenario).error();
  HEDDLE_TRY(check_same(dirs, *scenario));
  PolicyOptions named = options;
  named.scenario = dirs[0];
  HEDDLE_TRY(settle_policy(named, *scenario));
  for (const std::string& warning : unknown_work(*scenario)) say("warning: " + warning);
  std::vector<Measured> runs;
  for (const std::string& dir : dirs) {
    Result<Measured> run = measured(*scenario, dir);
    if (!run) return std::move(run).error();
    runs.push_back(*std::move(run));
  }
  report::RunMemory memory(*scenario);
  Result<wire::Json> prediction = simulated(options, *scenario, &memory);
  if (!prediction) return std::move(prediction).error();
  Result<std::vector<wire::Json>> others = other_delays(options, *scenario);
  if (!others) return std::move(others).error();
  std::vector<wire::Json> agreements;
  for (const Measured& run : runs) {
    agreements.push_back(report::agreement(*prediction, run.summary));
    report::add_memory(agreements.back(), *scenario, memory, run.memory);
  }
  const bool one = dirs.size() == 1;
  wire::Json compared = one ? agreements[0] : report::run_spread(agreements);
  report::add_sensitivity(compared, *others);
  std::cout << (json  ? compared.dump(2) + "\n"
                : one ? report::format_agreement(compared)
                      : report::format_run_spread(compared, dirs));
  for (std::size_t i = 0; i < dirs.size() && !json; ++i)
    if (runs[i].summary.at("disturbed") == true)
      std::cout << "\n"
                << (one ? "" : dirs[i] + " is ") << report::disturbance_text(runs[i].summary)
                << "\n";
  return kExitDone;
}

}  // namespace heddle::cli
