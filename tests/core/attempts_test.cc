// Which attempts of a task count toward max_attempts.
#include <gtest/gtest.h>

#include "core/jobs/job.h"
#include "tests/support/job.h"

namespace heddle {
namespace {

/// Returns the state of a job whose only task may fail 4 times and was killed `kills` times.
JobState after(int kills, OomCause oom, bool node_kills_count) {
  Scenario scenario = cluster_of(1, 1, 1, {job_of("j", 0, 1, 1, 1, 10)});
  Job job(scenario, JobId{0}, {.node_kills_count = node_kills_count});
  job.submit(EmuTime(0));
  job.on_time(EmuTime(0));
  for (int i = 0; i < kills && !job.finished(); ++i) {
    job.take(0, 0);
    job.started(0, 0, EmuTime(0));
    job.ended(0, 0, Outcome::kOomKilled, oom, "killed");
  }
  return job.state();
}

TEST(Attempts, KillsOfAFullNodeCountUnlessThePolicySaysOtherwise) {
  EXPECT_EQ(after(3, OomCause::kNode, true), JobState::kRunning);
  EXPECT_EQ(after(4, OomCause::kNode, true), JobState::kFailed);
  EXPECT_EQ(after(40, OomCause::kNode, false), JobState::kRunning);
  EXPECT_EQ(after(4, OomCause::kContainer, false), JobState::kFailed);
}

}  // namespace
}  // namespace heddle
