#include "tests/sim/simulated.h"

#include "sim/simulation.h"

namespace heddle {
namespace {

constexpr int kTurns = 200'000;

}  // namespace

std::vector<wire::Json> Simulated::records() const {
  std::vector<wire::Json> all;
  for (std::size_t at = 0; at < journal.size();) {
    const std::size_t end = journal.find('\n', at);
    all.push_back(wire::Json::parse(journal.substr(at, end - at)));
    at = end + 1;
  }
  return all;
}

Simulated simulate(const Scenario& scenario, const std::function<void(const ClusterState&)>& look) {
  Simulated outcome;
  Simulation simulation(
      scenario, {}, [&](std::string_view text) { outcome.journal += text; },
      [](std::string_view) {});
  for (int turns = 0; simulation.go_on(1); ++turns) {
    if (look) look(simulation.state());
    if (turns == kTurns) simulation.stop(RunStatus::kAborted, "goes on for ever");
  }
  outcome.status = simulation.status();
  outcome.reason = simulation.reason();
  return outcome;
}

}  // namespace heddle
