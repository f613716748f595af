#include "trace/import/replay_task.h"

#include <cstdio>

#include "tests/support/matchers.h"

namespace heddle::trace::replay_task_test {

constexpr std::int64_t kMiB = 1 << 20;
constexpr Resources kRequest{Millicores(1000), EmuBytes(1024 * kMiB)};

struct At {
  double s, cores, mib, kept = 0;
};

TraceAttempt attempt(double held, const std::vector<At>& corners, double end, double last_mib) {
  TraceAttempt attempt;
  attempt.cores = Millicores(static_cast<std::int64_t>(held * 1e3));
  auto bytes = [](double mib) { return EmuBytes(static_cast<std::int64_t>(mib * kMiB)); };
  for (const At& at : corners)
    attempt.corners.push_back({emu_seconds(at.s), at.cores, bytes(at.mib), at.kept});
  attempt.end = emu_seconds(end);
  attempt.last_memory = bytes(last_mib);
  return attempt;
}

/// Returns lines such as "0 0.5 200": seconds, cores, MiB.
std::vector<std::string> text(const TaskSpec& task) {
  std::vector<std::string> corners;
  for (const UsageCorner& corner : task.usage) {
    char line[64];
    std::snprintf(line, sizeof line, "%g %g %g", to_seconds(corner.at),
                  static_cast<double>(corner.cores.count()) / 1e3,
                  static_cast<double>(corner.memory.count()) / kMiB);
    corners.emplace_back(line);
  }
  return corners;
}

TaskSpec strict(const TraceAttempt& attempt, double speed = 1) {
  return replay_task(attempt, kRequest, speed, CpuLimit::kStrict);
}

TEST(ReplayTask, AsItWas) {
  const TaskSpec task = strict(attempt(1, {{0, 0.5, 200}, {4, 1, 300}, {9, 0, 700}}, 10, 100));
  EXPECT_THAT(text(task), ElementsAre("0 0.5 200", "4 1 300", "9 0 700", "10 0 100"));
  EXPECT_EQ(task.threads, std::nullopt);
}

TEST(ReplayTask, NoMoreThanItCanHaveHadNorThanItAskedFor) {
  EXPECT_THAT(text(strict(attempt(1, {{0, 1.004, 1030}}, 10, 99.2))),
              ElementsAre("0 1 1024", "10 0 100"));
}

// On a core of speed 0.5, a core-second takes 2 s. The work of 2 core-seconds is 4 s of CPU in a
// time of 5 s, so 1 s is something else. The replayed task wants 2 core-seconds in 3 s.
TEST(ReplayTask, OnASlowNodeTheSameTakesAsLongAgain) {
  EXPECT_THAT(text(strict(attempt(1, {{0, 0.4, 100}}, 5, 100), 0.5)),
              ElementsAre("0 0.667 100", "3 0 100"));
  EXPECT_THAT(text(strict(attempt(1, {{0, 2, 100}}, 5, 100), 2)),
              ElementsAre("0 1 100", "10 0 100"));
}

// A task limited to half a core becomes a thread that wants twice the CPU, and gets half of it.
TEST(ReplayTask, PartOfACoreIsAllItGot) {
  EXPECT_THAT(text(strict(attempt(0.5, {{0, 0.5, 100}, {6, 0.25, 100}}, 10, 100))),
              ElementsAre("0 1 100", "3 0.333 100", "6 0 100"));
}

TEST(ReplayTask, WaitingForACrowdedNodeIsNotItsOwn) {
  EXPECT_THAT(text(strict(attempt(1, {{0, 0.5, 100, 1}, {4, 0.5, 100}}, 8, 100))),
              ElementsAre("0 1 100", "2 0.5 100", "6 0 100"));
  EXPECT_THAT(text(strict(attempt(1, {{0, 0.5, 100, 0.25}}, 4, 100))),
              ElementsAre("0 0.667 100", "3 0 100"));
}

TEST(ReplayTask, ThreadsByItsMostCores) {
  TaskSpec task = replay_task(attempt(3, {{0, 1.6, 100}, {5, 0.5, 100}}, 10, 100), kRequest, 1,
                              CpuLimit::kShares);
  EXPECT_THAT(text(task), ElementsAre("0 1.6 100", "5 0.5 100", "10 0 100"));
  // At speed 0.1 the task used 1.5 threads at a time, which do less than one core's work.
  task = replay_task(attempt(3, {{0, 0.15, 100}}, 10, 100), kRequest, 0.1, CpuLimit::kShares);
  EXPECT_THAT(text(task), ElementsAre("0 0.462 100", "3.25 0 100"));
  EXPECT_EQ(task.threads, 2);
}

TEST(FitCorners, DividesWhatIsUsedInPart) {
  TaskSpec task = strict(attempt(1, {{0, 1, 100}, {4, 0.5, 100}, {8, 0, 500}}, 10, 500));
  const TaskSpec whole = task;
  fit_corners(task, 60, kRequest, emu_seconds(1));
  EXPECT_THAT(text(task), ElementsAre("0 1 100", "4 0.5 100", "5 0.5 200", "6 0.5 300", "7 0.5 400",
                                      "8 0 500", "10 0 500"));
  task = whole;
  fit_corners(task, 6, kRequest, emu_seconds(1));
  EXPECT_THAT(text(task), ElementsAre("0 1 100", "4 0.5 100", "6 0.5 300", "8 0 500", "10 0 500"));
  task = whole;
  fit_corners(task, 4, kRequest, emu_seconds(1));
  EXPECT_EQ(task, whole);
}

TEST(FitCorners, LeavesOutWhatMattersLeast) {
  TaskSpec task = strict(attempt(1, {{0, 1, 100}, {4, 0.9, 100}, {8, 0, 500}}, 10, 500));
  fit_corners(task, 3, kRequest, emu_seconds(1));
  EXPECT_THAT(text(task), ElementsAre("0 0.95 100", "8 0 500", "10 0 500"));
}

}  // namespace heddle::trace::replay_task_test
