#include "trace/import/slurm_jobs.h"

#include "tests/support/matchers.h"

namespace heddle::trace::slurm::slurm_jobs_test {

void expect_shape(const Run& run, double tasks, double cores, double gpus) {
  const Shape shape = shape_of(run);
  EXPECT_EQ(shape.tasks, tasks);
  EXPECT_EQ(shape.cores, cores);
  EXPECT_EQ(shape.gpus, gpus);
}

TEST(SlurmJobs, AJobHasATaskForEachCpu) {
  expect_shape({.cpus = 16, .nodes = 2}, 16, 1, 0);
  expect_shape({.cpus = 1}, 1, 1, 0);
}

TEST(SlurmJobs, AJobWithGpusHasATaskForEachGpu) {
  expect_shape({.cpus = 12, .gpus = 2}, 2, 6, 1);
  expect_shape({.cpus = 5, .gpus = 3}, 3, 1.666, 1);
  expect_shape({.cpus = 1, .gpus = 4}, 4, 0.25, 1);
}

TEST(SlurmJobs, AJobOnWholeNodesHasATaskForEachNode) {
  expect_shape({.cpus = 32, .nodes = 2, .gpus = 4, .whole_nodes = true}, 2, 16, 2);
  expect_shape({.cpus = 48, .nodes = 2, .gpus = 3, .whole_nodes = true}, 3, 16, 1);
  expect_shape({.cpus = 33, .nodes = 2, .whole_nodes = true}, 33, 1, 0);
  expect_shape({.cpus = 32, .whole_nodes = true}, 32, 1, 0);
}

TEST(SlurmJobs, AJobHasAsManyNodesAgainIfItIsToRunAsInTheLog) {
  const slurm::Run on_two{.cpus = 16, .nodes = 2}, uneven{.cpus = 33, .nodes = 2},
      unknown{.cpus = 16};
  EXPECT_EQ(shape_of(on_two, true).tasks, 2);
  EXPECT_EQ(shape_of(on_two, true).cores, 8);
  EXPECT_EQ(shape_of(uneven, true).tasks, 33) << "the parts of the nodes differ";
  EXPECT_EQ(shape_of(unknown, true).tasks, 16) << "the number of nodes is not known";
}

TEST(SlurmJobs, SomeStatesAreFollowedByAnotherRun) {
  for (const char* state : {"", "REQUEUED", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "RESIZING"})
    EXPECT_TRUE(goes_on(state)) << state;
  for (const char* state : {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"})
    EXPECT_FALSE(goes_on(state)) << state;
}

TEST(SlurmJobs, ThePeakIsTheMostAtTheSameTime) {
  Peak peak;
  EXPECT_EQ(peak.most().cpus, 0);
  peak.add(0, 100, {.cpus = 16, .bytes = 1});
  peak.add(50, 150, {.cpus = 8, .bytes = 2, .gpus = 1});
  peak.add(100, 150, {.cpus = 8, .bytes = 8});  // begins when the first ends
  peak.add(70, 70, {.cpus = 100});              // takes no time
  const Held most = peak.most();
  EXPECT_EQ(most.cpus, 24);
  EXPECT_EQ(most.bytes, 10);
  EXPECT_EQ(most.gpus, 1);
}

}  // namespace heddle::trace::slurm::slurm_jobs_test
