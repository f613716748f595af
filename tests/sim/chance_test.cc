// Checks on the shipped scenarios that the seed changes nothing where depends_on_chance() and the
// reader say so.
#include <filesystem>

#include "core/randomness.h"
#include "core/resolve.h"
#include "tests/sim/simulated.h"
#include "tests/support/matchers.h"

namespace heddle::sim::chance_test {

namespace fs = std::filesystem;

/// Returns the journal of a simulation of the scenario under its policy, without its first line,
/// which names the seed.
std::string journal(const CheckedScenario& read) {
  const std::string text = simulate(resolve_simulated(read.scenario)).journal;
  return text.substr(text.find('\n'));
}

TEST(Chance, TheSeedChangesOnlyScenariosThatDependOnIt) {
  int exact = 0, random = 0;
  std::vector<fs::path> files;
  for (const char* folder : {"", "/checked", "/faults", "/lessons"})
    for (const auto& file :
         fs::directory_iterator(HEDDLE_SOURCE_DIR "/scenarios" + std::string(folder)))
      files.push_back(file.path());
  for (const fs::path& file : files) {
    if (file.extension() != ".yaml") continue;
    Overrides other;
    const auto first = workloads::read_scenario(file, {});
    if (!first || first->scenario.policy.external) continue;
    other.seed = first->scenario.seed + 1;
    const auto second = workloads::read_scenario(file, other);
    if (first->drawn_jobs || depends_on_chance(first->scenario)) {
      random += journal(*first) != journal(*second) ? 1 : 0;
    } else {
      ++exact;
      EXPECT_EQ(journal(*first), journal(*second)) << file;
    }
  }
  EXPECT_GT(exact, 10);
  EXPECT_GT(random, 0);
}

}  // namespace heddle::sim::chance_test
