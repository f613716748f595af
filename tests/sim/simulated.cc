#include "tests/sim/simulated.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "core/resolve.h"
#include "sim/simulation.h"
#include "tests/support/journal.h"

namespace heddle::sim {
namespace {

constexpr int kTurns = 200'000;

Simulated simulate(const Scenario& scenario, const Simulation::Options& options,
                   const std::function<void(const ClusterState&)>& look) {
  Simulated outcome;
  Simulation simulation(
      scenario, options, [&](std::string_view text) { outcome.journal += text; },
      [&](std::string_view text) { outcome.samples += text; });
  for (int turns = 0; simulation.advance(1); ++turns) {
    if (look) look(simulation.state());
    if (turns == kTurns) simulation.stop(RunStatus::kAborted, "goes on for ever");
  }
  outcome.status = simulation.status();
  outcome.reason = simulation.reason();
  return outcome;
}

}  // namespace

std::vector<wire::Json> Simulated::records() const { return records_of(journal); }

std::vector<wire::Json> Simulated::lines(const std::string& type) const {
  return records_of(journal, type);
}

Scenario shipped(const std::string& name, const Overrides& overrides) {
  auto read = workloads::read_scenario(HEDDLE_SOURCE_DIR "/scenarios/" + name + ".yaml", overrides);
  return read ? resolve_simulated(read->scenario) : throw std::runtime_error(read.error().text);
}

Simulated simulate(const Scenario& scenario, const std::function<void(const ClusterState&)>& look) {
  return simulate(scenario, {}, look);
}

void check_shortcuts(const Scenario& scenario) {
  Simulation::Options in_full, skips;
  in_full.shortcuts = false;
  skips.thin_samples = true;  // heartbeats that no sample needs can be skipped
  const Simulated brief = simulate(scenario), full = simulate(scenario, in_full, nullptr);
  // EXPECT_EQ would print both texts.
  EXPECT_TRUE(brief.journal == full.journal);
  EXPECT_TRUE(brief.samples == full.samples);
  EXPECT_TRUE(simulate(scenario, skips, nullptr).journal == full.journal);
}

}  // namespace heddle::sim
