// Tests containers that are smaller than requested: real limits, and real tasks that cope with
// them.
#include "core/model/work.h"
#include "tests/integration/worker_bench.h"
#include "tests/support/matchers.h"

namespace heddle::worker_shrunk_test {

/// Puts the usual task, which needs nearly all the memory that it requests, in a smaller container.
wire::LaunchCommand shrunk(wire::LaunchCommand launch, const Resources& size) {
  const EmuBytes requested = launch.resources.memory;
  launch.work.memory = {{0, emu_mib(256)}, {0.5, requested - emu_mib(24)}};
  launch.work = spilled(launch.work, requested, size.memory, 0.8);
  launch.resources = size;
  return launch;
}

TEST_F(WorkerTest, SmallerContainerHasSmallerLimitsAndItsTaskIsSlower) {
  join();
  const wire::LaunchCommand launch =
      shrunk(task(1, core_seconds(4)), {Millicores(800), emu_mib(800)});
  command(launch);
  const auto started = await<ContainerStarted>(1);
  // Memory is 1/64 and 1 MiB. CPU is 0.8 cores of a tenth of a CPU, and a fifth above the line.
  EXPECT_EQ(home_->driver->memory(group("/n1/c0"))->limit, real::Bytes((800 << 14) + (1 << 20)));
  EXPECT_NEAR(home_->driver->cpu(group("/n1/c0"))->cpus->value, 0.096, 0.001);

  const auto ended = await<ContainerEnded>(1);
  EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
  // A fifth of the peak spills at a size of 0.8: 4.64 core-seconds, on 0.8 cores.
  EXPECT_NEAR(to_seconds(ended.usage.ideal), 5.8, 1e-5);
  const double took = static_cast<double>(ended.monotonic_ns - started.monotonic_ns) / 1e9;
  EXPECT_GE(took, 0.99 * 0.58);
  EXPECT_NEAR(took - to_seconds(ended.usage.host_lost) * 0.1, 0.58, 0.06);
  EXPECT_LE(ended.usage.peak_memory, emu_mib(800 + 64));
  EXPECT_GT(ended.usage.peak_memory, emu_mib(700));
}

// The smallest real task that is possible has 2 MiB.
TEST_F(WorkerTest, NoTaskIsKilledForASmallerContainer) {
  for (const double scale : {1.0 / 64, 1.0 / 256}) {
    welcome_.scale.memory = scale;
    join();
    for (int i = 0; i < 6; ++i)
      command(shrunk(task(i, core_seconds(3)), {Millicores(500), emu_mib(512 + 64 * i)}));
    for (int i = 0; i < 6; ++i) {
      const auto ended = await<ContainerEnded>(i);
      EXPECT_EQ(ended.outcome, Outcome::kCompleted) << ended.reason;
    }
    leave();
  }
}

TEST_F(WorkerTest, TaskBeyondItsRequestIsKilledInASmallerContainerToo) {
  join();
  wire::LaunchCommand launch = sleeper(1);
  launch.work.memory = {{0, emu_mib(1536)}};
  launch.work = spilled(launch.work, launch.resources.memory, emu_mib(700), 0.8);
  launch.resources.memory = emu_mib(700);
  const auto ended = end_of(launch);
  EXPECT_EQ(ended.outcome, Outcome::kOomKilled);
  EXPECT_THAT(ended.reason, HasSubstr("its own memory limit of 700 MiB"));
}

}  // namespace heddle::worker_shrunk_test
