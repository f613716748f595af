#include "sim/task_model.h"

#include <gtest/gtest.h>

namespace heddle::sim::task_model_test {

constexpr double kMiB = 1 << 20;
constexpr EmuBytes kLimit(1LL << 40);

EmuTime at(double s) { return emu_seconds(s); }
EmuBytes mib(double n) { return EmuBytes(static_cast<std::int64_t>(n * kMiB)); }

/// Returns a task of two threads that uses 1.5 cores for 4 s, nothing for 2 s, and 2 cores for 4 s.
/// Its memory rises from 100 to 500 MiB, stays, and falls to 300.
TaskWork curve() {
  TaskWork work;
  work.threads = 2;
  work.pieces = {{core_seconds(6), at(1)}, {core_seconds(0), at(2)}, {core_seconds(8), at(0)}};
  work.cpu = core_seconds(14);
  work.memory = {{0, mib(100)}, {0.4, mib(500)}, {0.6, mib(500)}, {1, mib(300)}};
  return work;
}

/// A task alone in a container. Its threads get `rate` while it is runnable.
class Alone {
 public:
  explicit Alone(const TaskWork& work, double rate = 1)
      : task_(work, ideal_time(work, Millicores(4000), 1, false), kLimit, at(0)), rate_(rate) {
    feed(at(0));
  }

  /// Runs the task until that time.
  TaskModel& to(double s) {
    while (!task_.finished() && task_.due() <= at(s)) step(task_.due());
    return task_;
  }
  void set_rate(double s, double rate) {
    to(s);
    rate_ = rate;
    feed(at(s));
  }
  void suspend(double s) {
    to(s).suspend(at(s));
    feed(at(s));
  }
  void resume(double s) {
    to(s).resume(at(s));
    feed(at(s));
  }
  double end_s() {
    EmuTime last;
    while (!task_.finished() && task_.due() != kNever) step(last = task_.due());
    return task_.finished() ? to_seconds(last) : -1;
  }

 private:
  void step(EmuTime now) {
    task_.advance(now);
    feed(now);
  }
  void feed(EmuTime now) {
    task_.set_rate(task_.runnable() > 0 && !task_.suspended() ? rate_ : 0, now);
    task_.plan(now);
  }

  TaskModel task_;
  double rate_;
};

struct Seen {
  double s, cpu, mib, progress;
  int runnable;
};

void expect_seen(Alone& alone, std::initializer_list<Seen> expected) {
  for (const Seen& seen : expected) {
    TaskModel& task = alone.to(seen.s);
    EXPECT_NEAR(to_core_seconds(task.cpu(at(seen.s))), seen.cpu, 1e-5) << seen.s;
    EXPECT_NEAR(task.memory(at(seen.s)) / kMiB, seen.mib, 1e-3) << seen.s;
    EXPECT_NEAR(task.progress(at(seen.s)), seen.progress, 1e-6) << seen.s;
    EXPECT_EQ(task.runnable(), seen.runnable) << seen.s;
  }
}

TEST(TaskOnACurve, BurnsEachPieceAndThenPauses) {
  Alone alone(curve());
  expect_seen(alone, {{0, 0, 100, 0, 2},
                      {1, 2, 200, 0.1, 2},
                      {3.5, 6, 450, 0.35, 0},
                      {5, 6, 500, 0.5, 0},
                      {8, 10, 400, 0.8, 2}});
  EXPECT_EQ(alone.end_s(), 10);
}

TEST(TaskOnACurve, UnderContentionTakesLongerAndMemoryFollowsTheWork) {
  Alone alone(curve(), 0.5);
  expect_seen(alone, {{3, 3, 250, 0.15, 2}, {6.5, 6, 450, 0.35, 0}, {8, 6, 500, 0.5, 0}});
  EXPECT_EQ(alone.end_s(), 6 + 1 + 2 + 8);
}

TEST(TaskOnACurve, OnAFastNodeMemoryFollowsTheWorkToo) {
  Alone alone(curve(), 2);
  expect_seen(alone, {{1.5, 6, 400, 0.3, 0}, {2.5, 6, 500, 0.4, 0}, {5.5, 10, 400, 0.8, 2}});
  EXPECT_EQ(alone.end_s(), 1.5 + 1 + 2 + 2);
}

TEST(TaskOnACurve, FollowsARateThatChanges) {
  Alone alone(curve());
  alone.set_rate(1, 0.25);
  expect_seen(alone, {{5, 4, 300, 0.2, 2}});
  alone.set_rate(5, 1);
  EXPECT_EQ(alone.end_s(), 10 + 3);
}

TEST(TaskOnACurve, SuspensionHoldsTheCpuAndLetsPausesPass) {
  Alone burning(curve());
  burning.suspend(1);
  expect_seen(burning, {{4, 2, 200, 0.1, 2}});
  burning.resume(4);
  EXPECT_EQ(burning.end_s(), 13);

  Alone pausing(curve());
  pausing.suspend(3.5);
  expect_seen(pausing, {{6.5, 6, 450, 0.35, 0}});
  pausing.resume(6.5);  // the pause ended at 4; the next piece, also a pause, begins at 6.5
  EXPECT_EQ(pausing.end_s(), 6.5 + 2 + 4);
}

TEST(TaskOnACurve, MayEndInAPauseAndBeginWithOne) {
  TaskWork work;
  work.pieces = {{core_seconds(0), at(1)}, {core_seconds(1), at(3)}};
  work.cpu = core_seconds(1);
  work.memory = {{0, mib(10)}, {1, mib(60)}};
  Alone alone(work);
  expect_seen(alone, {{0.5, 0, 15, 0.1, 0}, {1.5, 0.5, 25, 0.3, 1}, {4, 1, 50, 0.8, 0}});
  EXPECT_EQ(alone.end_s(), 5);
}

TEST(TaskOnACurve, UsageIsWhatTheCurveAddsUpTo) {
  Alone alone(curve());
  alone.end_s();
  const AttemptUsage usage = alone.to(10).usage(at(10));
  EXPECT_EQ(usage.cpu, core_seconds(14));
  EXPECT_EQ(usage.peak_memory, mib(500));
  EXPECT_NEAR(usage.memory_byte_seconds / kMiB, 4 * 300 + 2 * 500 + 4 * 400, 1e-3);
  EXPECT_EQ(usage.ideal, at(10));
}

}  // namespace heddle::sim::task_model_test
