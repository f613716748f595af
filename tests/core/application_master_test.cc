// Jobs with an application master (core/jobs/job.h). schedules/application_master.yaml has whole
// runs.

#include "tests/core/stepped_engine.h"
#include "tests/support/events.h"
#include "tests/support/job.h"
#include "tests/support/matchers.h"

namespace heddle::application_master_test {

TEST(ApplicationMaster, TasksAreAskedForOnlyOnceItRuns) {
  Scenario scenario = cluster_of(1, 4, 4, {job_of("j", 0, 2, 1, 1, 10)});
  add_master(scenario.jobs[0], 1, 1);
  SteppedEngine engine(scenario);
  std::vector<Launch> launches = actions_of<Launch>(engine.begin());
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].phase, (PhaseId{JobId{0}, 0}));
  EXPECT_THAT(engine.state().requests(), IsEmpty());
  EXPECT_EQ(engine.state().job(JobId{0}).state(), JobState::kPending);
  launches = actions_of<Launch>(engine.step(0, {started(0)}));
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].phase, (PhaseId{JobId{0}, 1}));
  // The job runs only once its first task does.
  EXPECT_EQ(engine.state().job(JobId{0}).state(), JobState::kPending);
  engine.step(0, {started(1)});
  EXPECT_EQ(engine.state().job(JobId{0}).state(), JobState::kRunning);
}

}  // namespace heddle::application_master_test
