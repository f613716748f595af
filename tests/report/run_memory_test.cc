#include "report/run_memory.h"

#include <gtest/gtest.h>

#include "tests/support/cluster.h"
#include "tests/support/job.h"

namespace heddle::report::run_memory_test {

/// Returns a scenario with two nodes of 1000 bytes and a phase of 3 tasks that request 200 bytes.
Scenario scenario() {
  Scenario s;
  const NodeSpec node = node_of("n", {Millicores(1000), EmuBytes(1000)});
  s.cluster.nodes = {node, node};
  s.jobs = {job_of("j", {phase_of("p", 3, {Millicores(1000), EmuBytes(200)})})};
  return s;
}

AttemptRow attempt(int task, std::int64_t peak, Outcome outcome = Outcome::kCompleted) {
  AttemptRow row;
  row.phase = {JobId{0}, 0};
  row.task = task;
  row.end.emplace();
  row.end->outcome = outcome;
  row.end->usage.peak_memory = EmuBytes(peak);
  return row;
}

UsageSample sample(double t, int node, std::int64_t memory) {
  return {emu_seconds(t), NodeId{node}, 0, EmuBytes(memory), {}};
}

class RunMemoryTest : public testing::Test {
 protected:
  wire::Json compared() const {
    wire::Json json;
    add_memory(json, scenario_, simulated_, real_);
    return json;
  }
  Scenario scenario_ = scenario();
  RunMemory simulated_{scenario_}, real_{scenario_};
};

TEST_F(RunMemoryTest, NothingIsKnownOfAnEmptyRun) {
  AttemptRow alive = attempt(0, 100);
  alive.end.reset();
  real_.add(alive);
  EXPECT_EQ(compared().dump(), R"({"peak_memory_error":{"median":null,"p99":null,"tasks":0},)"
                               R"("nearly_full_s":{"predicted":null,"measured":null}})");
}

TEST_F(RunMemoryTest, PeaksOfTasksThatCompletedInBothRuns) {
  real_.add(attempt(0, 100));
  real_.add(attempt(1, 150, Outcome::kOomKilled));
  real_.add(attempt(1, 160));
  real_.add(attempt(2, 999, Outcome::kFailed));
  simulated_.add(attempt(0, 90));
  simulated_.add(attempt(1, 200));
  simulated_.add(attempt(2, 100));
  // Task 0 is 10 of 200 off, and task 1 is 40 of 200 off. Task 2 did not complete in the real run.
  EXPECT_EQ(compared()["peak_memory_error"].dump(), R"({"median":0.05,"p99":0.2,"tasks":2})");
}

TEST_F(RunMemoryTest, TheLastCompletedAttemptOfATaskCounts) {
  real_.add(attempt(0, 100));
  real_.add(attempt(0, 120));  // its output was lost, so it ran again
  simulated_.add(attempt(0, 120));
  EXPECT_EQ(compared()["peak_memory_error"]["p99"], 0.0);
}

TEST_F(RunMemoryTest, TimeAboveNineTenthsOfANodesMemory) {
  for (const UsageSample& one :
       {sample(1, 0, 901), sample(1, 1, 950), sample(2, 0, 900), sample(3.5, 1, 1000),
        sample(4, 0, 999), sample(5, 1, 0), sample(6.25, 0, 0), sample(9, 1, 901)})
    real_.add(one);
  // Node 0: 1 s to 2 s and 4 s to 6.25 s. Node 1: 1 s to 5 s. Nothing follows the last sample.
  simulated_.add(sample(1, 0, 900));
  EXPECT_EQ(compared()["nearly_full_s"].dump(), R"({"predicted":0.0,"measured":7.25})");
}

}  // namespace heddle::report::run_memory_test
