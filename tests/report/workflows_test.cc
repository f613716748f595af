#include "report/workflows.h"

#include "tests/support/compact_scenario.h"
#include "tests/support/matchers.h"

namespace heddle::report {
namespace {

/// Returns the outcome of a job that ran from `start` to `end`, in seconds.
JobOutcome ran(double start, double end) {
  JobOutcome job;
  job.start = emu_seconds(start);
  job.last_end = job.finished = emu_seconds(end);
  job.final_state = "completed";
  return job;
}

std::vector<JobSpec> jobs_of(const std::string& jobs) {
  YAML::Node compact = YAML::Load("{nodes: [1, 4, 4], jobs: {" + jobs + "}}");
  for (auto job : compact["jobs"]) job.second["takes"] = 1;
  return tests::compact_scenario(compact).jobs;
}

// The chain a, c has 10 + 2 + 30 s, the chain b, c has 20 + 30 s.
TEST(Workflows, TheCriticalPathIsTheLongestChain) {
  const auto jobs = jobs_of(
      "a: {at: 5, workflow: w}, b: {at: 6, workflow: w}, c: {workflow: w, at: 5, after: [{job: a, "
      "delay: 2s}, b]}");
  const wire::Json list = workflows_json(jobs, {ran(7, 17), ran(20, 40), ran(75, 105)});
  EXPECT_EQ(list.dump(),
            R"([{"name":"w","jobs":3,"makespan_s":100.0,"critical_path_s":50.0,"slowdown":2.0}])");
}

// d comes first in the scenario, and waits for b and c, which both wait for a: 10 + 20 + 5 s.
TEST(Workflows, ADiamond) {
  const auto jobs = jobs_of(
      "d: {workflow: w, after: [b, c]}, b: {workflow: w, after: [a]}, c: {workflow: w, after: "
      "[a]}, "
      "a: {workflow: w}");
  const wire::Json list = workflows_json(jobs, {ran(30, 35), ran(10, 30), ran(10, 11), ran(0, 10)});
  EXPECT_EQ(list[0].at("critical_path_s"), 35);
}

// b can start with a: its chain has 4 + 20 s.
TEST(Workflows, AStartIsNoEnd) {
  const auto jobs =
      jobs_of("a: {workflow: w}, b: {workflow: w, after: [{job: a, when: start, delay: 4s}]}");
  const wire::Json list = workflows_json(jobs, {ran(0, 10), ran(4, 24)});
  EXPECT_EQ(list[0].at("critical_path_s"), 24);
  EXPECT_EQ(list[0].at("slowdown"), 1);
}

TEST(Workflows, JobsOfOthersDoNotCount) {
  const auto jobs = jobs_of("a: {}, b: {workflow: w, after: [a]}, c: {workflow: v}");
  const wire::Json list = workflows_json(jobs, {ran(0, 10), ran(10, 15), ran(0, 8)});
  ASSERT_EQ(list.size(), 2U);
  EXPECT_THAT(list[0], HasMembers(R"({"name":"w","critical_path_s":5.0,"makespan_s":15.0})"));
  EXPECT_THAT(list[1], HasMembers(R"({"name":"v","critical_path_s":8.0,"makespan_s":8.0})"));
}

TEST(Workflows, NothingIsSaidUntilAllJobsHaveCompleted) {
  const auto jobs = jobs_of("a: {workflow: w}, b: {workflow: w, after: [a]}");
  JobOutcome cancelled;
  cancelled.final_state = "cancelled";
  EXPECT_THAT(workflows_json(jobs, {ran(0, 10), cancelled})[0],
              HasMembers(R"({"makespan_s":null,"critical_path_s":null,"slowdown":null})"));
}

TEST(Workflows, WithoutAnyThereIsNoList) {
  EXPECT_TRUE(workflows_json(jobs_of("a: {}"), {ran(0, 10)}).is_discarded());
}

}  // namespace
}  // namespace heddle::report
