#include "report/simulated.h"

#include <chrono>

#include "common/own_usage.h"
#include "core/resolve.h"
#include "report/journal_reader.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

/// Number of steps between two checks whether the job is finished.
constexpr std::int64_t kTurns = 200;

/// Leaves out the lines that no step makes.
class StepsObserver : public SummaryObserver {
 public:
  using SummaryObserver::SummaryObserver;
  void on_line(std::string_view) override {}
  bool takes_lines() const override { return false; }
};

/// Makes a simulation without a journal.
sim::Simulation unwritten(const Scenario& scenario, std::optional<sim::CountedForm> counted,
                          driver::Observer& observer, sim::Simulation::Sink samples = nullptr,
                          SimulatedParts parts = {}) {
  driver::Recorder::Stopwatch stopwatch;
  if (parts.ask || parts.cost)
    stopwatch = [] { return std::chrono::steady_clock::now().time_since_epoch(); };
  return {scenario,
          {.journal_heartbeats = false,
           .stopwatch = std::move(stopwatch),
           .observer = &observer,
           .counted = std::move(counted),
           .variation = parts.variation,
           .ask = std::move(parts.ask),
           .farewell = std::move(parts.farewell)},
          nullptr,
          std::move(samples)};
}

Result<void> add_samples(std::string_view lines, const Scenario& scenario, RunMemory& memory) {
  return each_record(lines, [&](const wire::Json& line) -> Result<void> {
    Result<UsageSample> sample = sample_from(line, scenario);
    if (!sample) return std::move(sample).error();
    memory.add(*sample);
    return {};
  });
}

}  // namespace

Result<wire::Json> SummaryObserver::summary() const {
  if (!added_) return added_.error();
  return builder_.summary();
}

Result<wire::Json> simulated_summary(const Scenario& given, SimulatedParts parts) {
  std::optional<Scenario> delayed;
  if (parts.variation && given.simulation.ideal) {
    delayed = given;
    delayed->simulation.ideal = false;
    delayed = resolve_simulated(*std::move(delayed));
  }
  const Scenario& scenario = delayed ? *delayed : given;
  RunMemory* const memory = parts.memory;
  std::vector<AttemptRow>* const attempts = parts.attempts;
  RunRows rows;
  rows.keep_decisions = rows.thin_states = false;
  const bool has_rows = memory || attempts;
  std::optional<sim::CountedForm> counted;
  if (!has_rows && !parts.variation) counted = sim::counted_form(scenario);
  SummaryObserver observer(scenario, has_rows ? &rows : nullptr, counted.has_value());
  Result<void> sampled;
  sim::Simulation::Sink samples;
  if (memory)
    samples = [&](std::string_view lines) {
      if (sampled) sampled = add_samples(lines, scenario, *memory);
    };
  const bool cost = parts.cost;
  const double cpu_s = thread_cpu_s();
  const auto began = std::chrono::steady_clock::now();
  sim::Simulation simulation =
      unwritten(scenario, std::move(counted), observer, samples, std::move(parts));
  while (simulation.advance(1'000'000)) {
  }
  if (cost) {
    const std::chrono::duration<double> wall_s = std::chrono::steady_clock::now() - began;
    observer.add(end_with_cost(simulation, thread_cpu_s() - cpu_s, wall_s.count()));
  }
  Result<wire::Json> summary = sampled ? observer.summary() : sampled.error();
  if (!summary) return std::move(summary).error().in("simulate");
  if (memory)
    for (const AttemptRow& attempt : rows.attempts) memory->add(attempt);
  if (attempts) {
    observer.finish();
    *attempts = std::move(rows.attempts);
  }
  return summary;
}

wire::Json end_with_cost(const sim::Simulation& simulation, double cpu_s, double wall_s) {
  const std::vector<double>& us = simulation.decision_us();
  wire::Json record = {{"type", "end"},
                       {"status", name_of(simulation.status())},
                       {"reason", simulation.reason()},
                       {"t", to_seconds(simulation.now())},
                       {"overhead",
                        {{"master_cpu_s", cpu_s},
                         {"wall_s", wall_s},
                         {"decisions", simulation.decisions()},
                         {"decision_us", wire::percentiles(us)}}}};
  if (const external::RoundTrips* trips = simulation.round_trips()) trips->put(record["overhead"]);
  return record;
}

std::optional<EmuTime> simulated_completion(const Scenario& scenario) {
  std::optional<sim::CountedForm> counted = sim::counted_form(scenario);
  StepsObserver observer(scenario, nullptr, counted.has_value());
  sim::Simulation simulation = unwritten(scenario, std::move(counted), observer);
  const JobId last{std::ssize(scenario.jobs) - 1};
  while (simulation.advance(kTurns) && !simulation.state().job(last).finished()) {
  }
  const JobOutcome& outcome = observer.totals().jobs().back();
  if (!observer.added() || outcome.final_state != "completed" || !outcome.last_end)
    return std::nullopt;
  return *outcome.last_end - scenario.jobs.back().submit;
}

}  // namespace heddle::report
