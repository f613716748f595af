// The summary that is collected while a simulation runs against the one of its journal.
#include <gtest/gtest.h>

#include "random_scenario.h"
#include "report/simulated.h"
#include "sim/simulation.h"
#include "tests/sim/simulated.h"

namespace heddle::sim {
namespace {

void expect_same(const Scenario& scenario) {
  report::SummaryObserver observer(scenario);
  report::SummaryBuilder builder(scenario);
  Simulation simulation(
      scenario, {.observer = &observer},
      [&](std::string_view lines) { EXPECT_TRUE(builder.add_lines(lines)); }, nullptr);
  while (simulation.advance(1'000'000)) {
  }
  const Result<wire::Json> summary = observer.summary();
  ASSERT_TRUE(summary) << summary.error().text;
  EXPECT_EQ(summary->dump(1), builder.summary().dump(1));
  EXPECT_EQ(report::simulated_summary(scenario)->dump(1), builder.summary().dump(1));
}

class SummaryObserver : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Schedulers, SummaryObserver,
                         testing::Values("fifo", "fair", "drf", "capacity", "ffd-dp", "haste",
                                         "haste-a", "dress"));

TEST_P(SummaryObserver, EqualsTheSummaryOfTheJournal) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    expect_same(random_scenario(seed, GetParam()));
  }
}

// These have, in this order: predictions of reduces and shrunk containers, suspended containers,
// faults, memory kills.
TEST(SummaryObserver, EqualsTheSummaryOfTheJournalOfShippedScenarios) {
  for (const char* name : {"papers/ikayak-placement", "papers/ikayak-suspend",
                           "faults/worker-crash", "faults/memory-storm"}) {
    SCOPED_TRACE(name);
    expect_same(shipped(name));
  }
}

}  // namespace
}  // namespace heddle::sim
