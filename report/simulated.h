#pragma once

#include <optional>
#include <string_view>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "driver/recorder.h"
#include "report/run_memory.h"
#include "report/summary.h"
#include "sim/simulation.h"
#include "wire/fields.h"

namespace heddle::report {

/// Collects the summary of a run while the run is made. The summary equals the one that is built
/// from the run's journal.
class SummaryObserver : public driver::Observer {
 public:
  /// `scenario` (resolved) and `rows`, if not null, must outlive the observer. The rows get no
  /// decisions and states. `counted`: as in RunTotals.
  explicit SummaryObserver(const Scenario& scenario, RunRows* rows = nullptr, bool counted = false)
      : builder_(scenario, rows, counted) {}

  void on_step(EmuTime now, std::span<const Event> events, const Step& step) override {
    if (added_) added_ = builder_.add_step(now, events, step);
  }
  void on_line(std::string_view line) override {
    if (added_) added_ = builder_.add_lines(line);
  }
  /// Adds a record that is not in the journal, such as the cost of a simulation.
  void add(const wire::Json& record) {
    if (added_) added_ = builder_.add(record);
  }
  /// Ends the run: adds rows for attempts and reservations that are still alive.
  void finish() { builder_.finish(); }
  /// Returns whether the run contradicts itself so far, as an error (kAborted).
  const Result<void>& added() const { return added_; }
  const RunTotals& totals() const { return builder_.totals(); }
  /// Returns the summary. Error: that of added().
  Result<wire::Json> summary() const;

 private:
  SummaryBuilder builder_;
  Result<void> added_;
};

/// Number of simulations with other delays (sim/variation.h) that give the range of a prediction.
inline constexpr int kVariations = 16;

/// Inputs of a simulation, and its results besides the summary.
struct SimulatedParts {
  RunMemory* memory = nullptr;                  ///< takes in the attempts and samples
  std::vector<AttemptRow>* attempts = nullptr;  ///< gets the attempts
  /// Varies its delays. If those of the scenario are ideal, there are delays nevertheless.
  std::optional<sim::Variation> variation = {};
  sim::Simulation::Ask ask = {};                          ///< required if the policy is external
  std::function<void(const std::string&)> farewell = {};  ///< belongs to `ask`
  bool cost = false;  ///< the summary has the cost of the simulation
};

/// Returns the last record of the simulation's journal, with the cost of the simulation added. The
/// journal itself must not contain the cost.
wire::Json end_with_cost(const sim::Simulation& simulation, double cpu_s, double wall_s);

/// Simulates a scenario to its end and returns the run's summary (report/summary.h). REQUIRES: the
/// emulation is resolved.
Result<wire::Json> simulated_summary(const Scenario& scenario, SimulatedParts parts = {});

/// Simulates a scenario until the last job in its list has ended. Returns the completion time of
/// this job, which is equal to the one in the summary. Returns nullopt if the job did not complete.
/// REQUIRES: the emulation is resolved.
std::optional<EmuTime> simulated_completion(const Scenario& scenario);

}  // namespace heddle::report
