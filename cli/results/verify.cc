#include <filesystem>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/base/policy_link.h"
#include "cli/results/commands.h"
#include "cli/results/results.h"
#include "common/listener.h"
#include "common/result_files.h"
#include "core/policy/own_options.h"
#include "core/resolve.h"
#include "report/agreement/agreement.h"
#include "report/agreement/first_difference.h"
#include "report/agreement/run_spread.h"
#include "report/agreement/start_times.h"
#include "report/disturbance.h"
#include "report/simulated.h"

namespace heddle::cli {
namespace {

/// The range of so many draws has 39 of 41 further ones.
constexpr int kManyVariations = 40;
constexpr std::size_t kFewAttempts = 1000;

struct Measured {
  wire::Json summary;
  report::RunMemory memory;
  std::vector<report::AttemptRow> attempts;
};

/// Reads a run. Error: the run cannot be compared with a simulation.
Result<Measured> measured(const Scenario& scenario, const std::string& dir) {
  Result<report::RunHistory> history = report::read_history(dir, scenario, false);
  if (!history) return std::move(history).error();
  (void)say_contradiction(dir, history->summary);
  const wire::Json& summary = history->summary;
  if (summary.at("mode") != "real")
    return usage_error(
        dir +
        ": is a simulated run; expected a real one, which verify compares with its simulation");
  const wire::Json& status = summary.at("status");
  if (status != "done" && status != "failed")
    return usage_error(dir + ": the run did not reach its end" +
                       (status.is_string() ? " (" + status.get<std::string>() + ")" : ""));
  Measured run{summary, report::RunMemory(scenario), std::move(history->attempts)};
  for (const report::AttemptRow& attempt : run.attempts) run.memory.add(attempt);
  HEDDLE_TRY(report::each_sample(
      dir, scenario, [&](const report::UsageSample& sample) { run.memory.add(sample); }));
  return run;
}

/// Returns whether the policy was a process that Heddle did not start and that listened at a path.
/// The policies of Python classes listen at another path in each run.
bool listened_at_path(const PolicySpec& policy) {
  return policy.external && policy.external->program.empty() &&
         policy.external->endpoint.starts_with("ipc:///");
}

/// Checks that a policy that Heddle does not start listens where it did in the run. Without this
/// check, the first request would wait for policy_timeout.
Result<void> check_listens(const std::string& dir, const PolicySpec& policy) {
  if (!listened_at_path(policy) || is_listened_on(policy.external->endpoint)) return {};
  const std::string name = program_name(*policy.external);
  return usage_error(dir + ": the policy " + name + " of the run listened at " +
                     policy.external->endpoint +
                     ", and nothing listens there now; if it was a Python class, give the class: "
                     "heddle.verify(run, policy=" +
                     name + "); if it was a program, start it first");
}

/// Checks that the runs can be compared with each other.
Result<void> check_same(const std::vector<std::string>& dirs, const Scenario& scenario) {
  for (std::size_t i = 1; i < dirs.size(); ++i) {
    std::error_code error;
    for (std::size_t j = 0; j < i; ++j)
      if (std::filesystem::equivalent(dirs[i], dirs[j], error))
        return usage_error(dirs[i] + ": is given twice");
    Result<Scenario> other = scenario_of(dirs[i], {kSamplesFile});
    if (!other) return std::move(other).error();
    other->emulation = scenario.emulation;  // `auto` can give other factors in each run
    if (listened_at_path(other->policy) && listened_at_path(scenario.policy) &&
        program_name(*other->policy.external) == program_name(*scenario.policy.external))
      other->policy.external->endpoint = scenario.policy.external->endpoint;
    if (*other != scenario)
      return usage_error(dirs[i] + ": is a run of another scenario, policy or seed than " +
                         dirs[0]);
  }
  return {};
}

/// Simulates a scenario. If its policy is external, starts the policy's program for that.
Result<wire::Json> simulated(const PolicyOptions& options, const Scenario& scenario,
                             report::SimulatedParts parts) {
  if (!scenario.policy.external) return report::simulated_summary(scenario, std::move(parts));
  Result<std::unique_ptr<PolicyLink>> link = PolicyLink::start(options, scenario);
  if (!link) return std::move(link).error();
  parts.ask = [&](const std::string& request) { return (*link)->ask(request); };
  parts.farewell = [&](const std::string& text) { (*link)->farewell(text); };
  Result<wire::Json> summary = report::simulated_summary(scenario, std::move(parts));
  if (summary && summary->at("status") == "aborted")
    return aborted_error(summary->at("reason").get<std::string>());
  return summary;
}

/// Returns the times that starts took in the runs.
sim::StartTimes start_times(const std::vector<Measured>& runs, const Scale& scale) {
  sim::StartTimes times;
  for (const Measured& run : runs) report::add_start_times(run.attempts, scale, times);
  const sim::StartTimes usual = sim::StartTimes::usual();
  if (times.first.empty()) times.first = usual.first;
  if (times.following.empty()) times.following = usual.following;
  return times;
}

/// Returns simulations in which heartbeats have other delays, and starts those of the runs. If they
/// are quick, there are enough of them that 19 of 20 further runs are in their range.
Result<std::vector<wire::Json>> other_delays(const PolicyOptions& options, const Scenario& scenario,
                                             const sim::StartTimes& starts, bool quick) {
  const int count = quick ? kManyVariations : report::kVariations;
  std::vector<wire::Json> others;
  for (int key = 1; key <= count; ++key) {
    Result<wire::Json> prediction = simulated(
        options, scenario, {.variation = sim::Variation(static_cast<std::uint64_t>(key), starts)});
    if (!prediction) return std::move(prediction).error();
    others.push_back(*std::move(prediction));
  }
  return others;
}

}  // namespace

Result<int> verify_command(const std::vector<std::string>& dirs, bool json,
                           const PolicyOptions& options) {
  Result<Scenario> scenario = scenario_of(dirs[0], {kSamplesFile});
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
  HEDDLE_TRY(check_listens(dirs[0], scenario->policy));
  report::RunMemory memory(*scenario);
  std::vector<report::AttemptRow> attempts;
  Result<wire::Json> prediction =
      simulated(options, *scenario, {.memory = &memory, .attempts = &attempts});
  if (!prediction) return std::move(prediction).error();
  const bool quick = attempts.size() <= kFewAttempts && !scenario->policy.external;
  Result<std::vector<wire::Json>> others =
      other_delays(options, *scenario, start_times(runs, scenario->scale()), quick);
  if (!others) return std::move(others).error();
  std::vector<wire::Json> agreements;
  for (Measured& run : runs) {
    agreements.push_back(report::agreement(*prediction, run.summary));
    report::add_memory(agreements.back(), *scenario, memory, run.memory);
    agreements.back()["first_difference"] = report::first_difference(
        {"simulated", *scenario, attempts}, {"run", *scenario, std::move(run.attempts)});
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
