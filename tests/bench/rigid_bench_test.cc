#include "bench/rigid_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "bench/plain_schedulers.h"
#include "bench/scenarios.h"
#include "core/policy/registry.h"
#include "tests/bench/failure.h"
#include "tests/support/temporary_directory.h"

namespace heddle::bench::rigid_bench_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::Json;

PlainJob job(double submit, double run, double limit, int processors) {
  return {emu_seconds(submit), emu_seconds(run), emu_seconds(limit), processors};
}

std::vector<double> seconds(const std::vector<EmuTime>& times) {
  std::vector<double> all;
  for (const EmuTime time : times) all.push_back(to_seconds(time));
  return all;
}

// On 4 processors, c fits beside a and ends before b can start. At 7 s d fits too, but would delay
// b, which needs all processors at 10 s.
TEST(PlainSchedulers, EasyFillsAGapThatEndsInTime) {
  const std::vector<PlainJob> jobs = {job(0, 10, 10, 2), job(1, 10, 10, 4), job(2, 5, 5, 2),
                                      job(3, 8, 8, 2)};
  EXPECT_THAT(seconds(plain_easy(jobs, 4)), ElementsAre(0, 10, 2, 20));
  EXPECT_THAT(seconds(plain_fcfs(jobs, 4)), ElementsAre(0, 10, 20, 20));
}

// When b starts at 10 s, two processors are left, one of which c may hold for longer.
TEST(PlainSchedulers, EasyUsesWhatTheFirstJobDoesNotNeed) {
  EXPECT_THAT(seconds(plain_easy({job(0, 10, 10, 3), job(1, 10, 10, 2), job(2, 100, 100, 1)}, 4)),
              ElementsAre(0, 10, 2));
}

TEST(PlainSchedulers, AJobThatEndsEarlyMakesRoom) {
  EXPECT_THAT(seconds(plain_easy({job(0, 4, 10, 4), job(1, 1, 1, 4)}, 4)), ElementsAre(0, 4));
}

TEST(RigidBench, EasyStartsJobsAsTheRuleSays) {
  Scenario scenario = rigid_scenario(3000);
  scenario.policy = *parse_policy("easy");
  const Json row = measure_rigid(scenario, "rigid", "easy");
  EXPECT_EQ(row.at("jobs"), 3000);
  EXPECT_EQ(row.at("processors"), 100);
  EXPECT_EQ(row.at("same_starts"), 3000);
  EXPECT_GT(row.at("cpu_s"), 0);
  EXPECT_GT(row.at("journal_bytes"), 3000 * 100);
  // Under another rule, jobs start at other times.
  scenario.policy = *parse_policy("conservative");
  EXPECT_THAT(failure_of([&] { measure_rigid(scenario, "rigid", "easy"); }),
              HasSubstr("of 3000 jobs start at other times than by the rule"));
}

TEST(RigidBench, OneTaskJobsEnd) {
  Scenario scenario = one_task_scenario(50);
  scenario.policy = *parse_policy("fifo");
  const Json row = measure_rigid(scenario, "one-task", "fifo");
  EXPECT_EQ(row.at("processors"), 6500);
  EXPECT_GT(row.at("plain_cpu_s"), 0);
  EXPECT_EQ(row.at("same_starts"), nullptr);
  // Nodes start tasks at heartbeats, so easy does not start them at the same times either.
  scenario.policy = *parse_policy("easy");
  EXPECT_EQ(measure_rigid(scenario, "one-task", "easy").at("same_starts"), nullptr);
}

// Three jobs of 2, 2 and 3 of 4 processors, for 10 s each.
TEST(RigidBench, ALogIsReadAsHeddleImportDoes) {
  const tests::TemporaryDirectory dir;
  const auto file = [&](const char* name, const char* text) {
    std::ofstream(dir / name) << text;
    return dir / name;
  };
  const std::string log = file("log.swf",
                               "; MaxProcs: 4\n"
                               "1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 -1 -1 -1\n"
                               "2 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 -1 -1 -1\n"
                               "3 5 -1 10 3 -1 -1 3 20 -1 1 1 1 1 1 -1 -1 -1\n");
  Scenario scenario = log_scenario(log);
  scenario.policy = *parse_policy("easy");
  const Json row = measure_rigid(scenario, "log.swf", "easy");
  EXPECT_EQ(row.at("same_starts"), 3);
  EXPECT_EQ(row.at("processors"), 4);
  EXPECT_EQ(row.at("makespan_s"), 20);
  EXPECT_THAT(failure_of([&] { log_scenario(file("no.txt", "nothing\n")); }), HasSubstr("no.txt"));
}

}  // namespace heddle::bench::rigid_bench_test
