#include "core/jobs/dependencies.h"

#include "tests/support/compact_scenario.h"
#include "tests/support/matchers.h"

namespace heddle {
namespace {

Scenario jobs_of(const std::string& jobs) {
  YAML::Node compact = YAML::Load("{nodes: [1, 4, 4], jobs: {" + jobs + "}}");
  for (auto job : compact["jobs"]) job.second["takes"] = 1;
  return tests::compact_scenario(compact);
}

/// Returns the jobs that became eligible, such as "main@12".
std::vector<std::string> eligible(const Scenario& scenario, Dependencies& dependencies) {
  std::vector<std::string> all;
  for (const Dependencies::Eligible& one : dependencies.take_eligible())
    all.push_back(scenario.jobs[one.job.value].name + "@" +
                  std::to_string(one.at.count() / 1'000'000));
  return all;
}

std::vector<std::string> hopeless(const Scenario& scenario, Dependencies& dependencies) {
  std::vector<std::string> all;
  for (const Dependencies::Hopeless& one : dependencies.take_hopeless())
    all.push_back(scenario.jobs[one.job.value].name + ": " + one.reason);
  return all;
}

constexpr JobId kA{0}, kB{1}, kMain{2};

TEST(Dependencies, AJobIsEligibleFromTheLastOfItsConditionsOn) {
  const Scenario scenario = jobs_of(
      "a: {}, b: {}, main: {at: 3, after: [{job: a, delay: 20s}, {job: b, when: any, delay: 5s}]}");
  Dependencies dependencies(scenario);
  dependencies.ended(kA, true, emu_seconds(10));
  EXPECT_THAT(dependencies.open(kMain),
              ElementsAre(JobCondition{kB, AfterWhen::kAny, emu_seconds(5)}));
  EXPECT_TRUE(dependencies.settled());
  dependencies.ended(kB, false, emu_seconds(12));
  EXPECT_FALSE(dependencies.settled());
  EXPECT_THAT(eligible(scenario, dependencies), ElementsAre("main@30"));
  EXPECT_THAT(dependencies.open(kMain), IsEmpty());
  EXPECT_TRUE(dependencies.settled());
}

TEST(Dependencies, AStartCountsOnceAndAnEndWithoutOneToo) {
  const Scenario scenario = jobs_of(
      "a: {}, b: {}, main: {after: [{job: a, when: start, delay: 2s}, {job: b, when: start}]}");
  Dependencies dependencies(scenario);
  dependencies.started(kA, emu_seconds(1));
  dependencies.started(kA, emu_seconds(7));
  dependencies.ended(kA, true, emu_seconds(9));
  dependencies.ended(kB, false, emu_seconds(2));
  EXPECT_THAT(eligible(scenario, dependencies), ElementsAre("main@3"));
}

TEST(Dependencies, HopelessJobsEndToo) {
  const Scenario scenario =
      jobs_of("a: {}, b: {after: [a]}, main: {after: [b]}, x: {after: [{job: main, when: any}]}");
  Dependencies dependencies(scenario);
  dependencies.ended(kA, false, emu_seconds(4));
  EXPECT_THAT(hopeless(scenario, dependencies),
              ElementsAre("b: it waits for job a, which has not completed",
                          "main: it waits for job b, which has not completed"));
  EXPECT_THAT(eligible(scenario, dependencies), ElementsAre("x@4"));
}

TEST(Dependencies, AHopelessJobNeverBecomesEligible) {
  const Scenario scenario = jobs_of("a: {}, b: {}, main: {after: [a, b]}");
  Dependencies dependencies(scenario);
  dependencies.ended(kA, false, emu_seconds(4));
  dependencies.ended(kB, true, emu_seconds(5));
  EXPECT_THAT(hopeless(scenario, dependencies), SizeIs(1));
  EXPECT_THAT(eligible(scenario, dependencies), IsEmpty());
}

TEST(Dependencies, JobsWithoutConditionsAreNotTracked) {
  const Scenario scenario = jobs_of("a: {}, b: {}");
  Dependencies dependencies(scenario);
  dependencies.started(kA, emu_seconds(1));
  dependencies.ended(kA, true, emu_seconds(2));
  EXPECT_TRUE(dependencies.settled());
  EXPECT_THAT(dependencies.open(kB), IsEmpty());
}

}  // namespace
}  // namespace heddle
