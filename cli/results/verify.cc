#include <cmath>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/results/commands.h"
#include "cli/results/results.h"
#include "common/result_files.h"
#include "core/resolve.h"
#include "report/comparison/agreement.h"
#include "report/simulated.h"
#include "report/summary.h"

namespace heddle::cli {
namespace {

/// Returns the summary of the run. Error: the run cannot be compared with a simulation.
Result<wire::Json> measured(const Scenario& scenario, const std::string& dir) {
  Result<wire::Json> summary = report::summarise(scenario, journal_of(dir));
  if (!summary) return summary;
  if (summary->at("mode") != "real")
    return usage_error(
        dir +
        ": is a simulated run; expected a real one, which verify compares with its simulation");
  const wire::Json& status = summary->at("status");
  if (status != "done" && status != "failed")
    return usage_error(dir + ": the run did not reach its end" +
                       (status.is_string() ? " (" + status.get<std::string>() + ")" : ""));
  return summary;
}

}  // namespace

Result<int> verify_command(const std::string& dir, bool json) {
  Result<Scenario> scenario = scenario_of(dir);
  if (!scenario) return std::move(scenario).error();
  for (const std::string& warning : unknown_work(*scenario)) say("warning: " + warning);
  Result<wire::Json> run = measured(*scenario, dir);
  if (!run) return std::move(run).error();
  Result<wire::Json> simulated = report::simulated_summary(*scenario);
  if (!simulated) return std::move(simulated).error();
  wire::Json compared = report::agreement(*simulated, *run);
  std::vector<wire::Json> others;
  for (double factor : {0.25, 0.5, 1.5, 2.0}) {
    Scenario other = *scenario;
    other.simulation.launch_delay = std::chrono::nanoseconds(
        std::llround(factor * static_cast<double>(other.simulation.launch_delay.count())));
    Result<wire::Json> prediction = report::simulated_summary(other);
    if (!prediction) return std::move(prediction).error();
    others.push_back(*std::move(prediction));
  }
  report::add_sensitivity(compared, others);
  std::cout << (json ? compared.dump(2) + "\n" : report::format_agreement(compared));
  if (run->at("disturbed") == true && !json)
    std::cout << "\ndisturbed: other programs used more than 5 % of the machine's CPU during the "
                 "run\n";
  return kExitDone;
}

}  // namespace heddle::cli
