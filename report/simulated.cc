#include "report/simulated.h"

#include "report/summary.h"
#include "sim/simulation.h"

namespace heddle::report {
namespace {

/// Number of steps between two checks whether the job is finished.
constexpr std::int64_t kTurns = 200;
/// Beginning of the journal's first line. This line lists all jobs, but only the last job matters
/// here.
constexpr std::string_view kRunLine = R"({"type":"run",)";

}  // namespace

Result<wire::Json> simulated_summary(const Scenario& scenario) {
  SummaryBuilder builder(scenario);
  Result<void> added;
  auto sink = [&](std::string_view lines) {
    if (added) added = builder.add_lines(lines);
  };
  sim::Simulation simulation(scenario, {false, {}}, sink, [](std::string_view) {});
  while (simulation.go_on(1'000'000)) {
  }
  if (!added) return std::move(added).error().in("simulate");
  return builder.summary();
}

std::optional<EmuTime> simulated_completion(const Scenario& scenario) {
  SummaryBuilder builder(scenario);
  Result<void> added;
  auto sink = [&](std::string_view lines) {
    if (added && !lines.starts_with(kRunLine)) added = builder.add_lines(lines);
  };
  sim::Simulation simulation(scenario, {false, {}}, sink, [](std::string_view) {});
  const JobId last{std::ssize(scenario.jobs) - 1};
  while (simulation.go_on(kTurns) && !simulation.state().job(last).finished()) {
  }
  const JobFacts& facts = builder.facts().jobs().back();
  if (!added || facts.final_state != "completed" || !facts.last_end) return std::nullopt;
  return *facts.last_end - scenario.jobs.back().submit;
}

}  // namespace heddle::report
