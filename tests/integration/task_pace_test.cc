// Tests real heddle-task processes on the CPU line. Bounds are generous, as this machine may be
// busy.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/integration/task_bench.h"

namespace heddle::task_pace_test {

using std::chrono::milliseconds;

constexpr std::int64_t kMs = 1'000'000;

TaskOrder burn(std::int64_t cpu_ms, int threads = 1) {
  TaskOrder order;
  order.part.cpu_ns_per_thread = cpu_ms * kMs;
  order.part.threads = threads;
  return order;
}

/// Checks that the task ended well, not before `ideal` and within 5 % and 50 ms of it, except for
/// the CPU that the host withheld: only what exceeds 50 ms behind the line is reported as withheld.
/// `early` is tolerance where the end depends on the test's own timing.
void expect_took(const TaskRun& run, milliseconds ideal, milliseconds early = milliseconds(0)) {
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(run.said.done);
  EXPECT_EQ(run.said.progress, 1);
  EXPECT_GE(run.wall(), ideal - early);
  const real::Duration lost = run.said.forfeited + milliseconds(50);
  EXPECT_LE((run.wall() - lost).count(), ideal.count() * kMs * 105 / 100);
}

TEST(TaskPace, LoneTaskEndsOnTheLine) {
  TaskBench bench(1, 0.1);
  bench.start(1, 1, burn(100));
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(1000));
  EXPECT_FALSE(bench.run(1).contended);
  EXPECT_NEAR(static_cast<double>(bench.run(1).said.cpu.count()), 100 * kMs, 2 * kMs);
  EXPECT_GT(bench.run(1).said.startup_cpu.count(), 0);
  EXPECT_LT(bench.run(1).said.startup_cpu.count(), 10 * kMs);
}

TEST(TaskPace, TwoThreadsOnTwoCores) {
  TaskBench bench(4, 0.1);
  bench.start(1, 2, burn(50, 2));
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(500));
  EXPECT_NEAR(static_cast<double>(bench.run(1).said.cpu.count()), 100 * kMs, 3 * kMs);
}

TEST(TaskPace, TwoThreadsShareOneAllocatedCore) {
  TaskBench bench(4, 0.1);
  bench.start(1, 1, burn(25, 2));
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(500));
  EXPECT_FALSE(bench.run(1).contended);
}

TEST(TaskPace, SleepThenBurn) {
  TaskBench bench(1, 0.1);
  TaskOrder order = burn(30);
  order.part.sleep_ns = 300 * kMs;
  order.part.sleep_share = 0.5;
  bench.start(1, 1, order);
  bench.serve(milliseconds(280));
  EXPECT_LT(bench.said(1).progress, 0.5);
  EXPECT_LT(bench.said(1).cpu.count(), 10 * kMs);
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(600));
}

/// Returns an order with nothing to do yet.
TaskOrder waiting() {
  TaskOrder order;
  order.part.number = 0;
  return order;
}

TEST(TaskPace, WaitsForItsPart) {
  TaskBench bench(1, 0.1);
  bench.start(1, 1, waiting());
  bench.serve(milliseconds(300));
  EXPECT_EQ(bench.said(1).progress, 0);
  EXPECT_LT(bench.said(1).cpu.count(), 10 * kMs);
  PartOrder part = burn(30).part;
  part.sleep_ns = 200 * kMs;
  part.sleep_share = 0.4;
  real::Time given = now();
  bench.lines().give(ContainerId{1}, part, given);
  bench.serve_all();
  TaskRun run = bench.run(1);
  EXPECT_FALSE(run.contended);
  run.started = given;
  expect_took(run, milliseconds(500));
}

TEST(TaskPace, PartGivenBeforeItRunsIsDoneAllTheSame) {
  TaskBench bench(1, 0.1);
  bench.start(1, 1, waiting());
  bench.lines().give(ContainerId{1}, burn(20).part, now());
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(200));
}

TEST(TaskPace, PartGivenWhileStoppedIsDoneWhenContinued) {
  TaskBench bench(1, 0.1);
  bench.start(1, 1, waiting());
  bench.serve(milliseconds(100));
  bench.lines().set_suspended(ContainerId{1}, true, now());
  ::kill(bench.run(1).pid, SIGSTOP);
  bench.lines().give(ContainerId{1}, burn(20).part, now());
  bench.serve(milliseconds(200));
  real::Time continued = now();
  bench.lines().set_suspended(ContainerId{1}, false, continued);
  ::kill(bench.run(1).pid, SIGCONT);
  bench.serve_all();
  TaskRun run = bench.run(1);
  run.started = continued;
  expect_took(run, milliseconds(200), milliseconds(1));
}

TEST(TaskPace, PartsOneAfterTheOther) {
  TaskBench bench(4, 0.1);
  bench.start(1, 2, waiting());
  PartOrder part;
  part.last = 0;
  part.cpu_ns_per_thread = 30 * kMs;
  for (int number = 1; number <= 3; ++number) {
    part.number = number;
    part.threads = number % 2 + 1;
    part.from = (number - 1) * 0.25;
    part.to = number * 0.25;
    // A waiting task saves up no CPU.
    bench.serve(milliseconds(100));
    real::Time given = now();
    bench.lines().give(ContainerId{1}, part, given);
    bench.serve_until_done(1, number);
    EXPECT_GE(now() - given, milliseconds(300)) << number;
    EXPECT_LT(now() - given, milliseconds(450)) << number;
    EXPECT_EQ(bench.said(1).progress, part.to);
    EXPECT_FALSE(bench.run(1).over);
  }
  EXPECT_NEAR(static_cast<double>(bench.said(1).cpu.count()), 150 * kMs, 5 * kMs);
  bench.lines().give(ContainerId{1}, PartOrder{4, 1}, now());
  bench.serve_all();
  EXPECT_EQ(bench.run(1).status, 0);
  EXPECT_TRUE(bench.run(1).said.done);
  EXPECT_FALSE(bench.run(1).contended);
}

TEST(TaskPace, PausesInterruptTheWork) {
  for (int threads : {1, 2}) {
    TaskBench bench(2, 0.1);
    TaskOrder order = burn(40, threads);
    order.part.pauses = 3;
    order.part.pause_ns = 100 * kMs;
    order.part.pause_share = 3.0 / 7;
    bench.start(1, 2, order);
    // 10 ms of CPU, a pause, and so on: 100 ms each.
    bench.serve(milliseconds(150));
    worker::TaskSaid paused = bench.said(1);
    EXPECT_NEAR(static_cast<double>(paused.cpu.count()), 10.0 * threads * kMs, 3 * kMs);
    EXPECT_GE(paused.progress, 1.0 / 7);
    EXPECT_LE(paused.progress, 2.0 / 7);
    bench.serve_all();
    expect_took(bench.run(1), milliseconds(700));
    EXPECT_FALSE(bench.run(1).contended);
    EXPECT_NEAR(static_cast<double>(bench.run(1).said.cpu.count()), 40.0 * threads * kMs, 4 * kMs);
  }
}

// A busy worker notices late that pauses are over; no CPU is saved up in them.
TEST(TaskPace, PausesThatTheWorkerDoesNotHearOfAreNoCredit) {
  TaskBench bench(1, 0.1);
  TaskOrder order = burn(20);
  order.part.pauses = 1;
  order.part.pause_ns = 200 * kMs;
  order.part.pause_share = 0.5;
  bench.start(1, 1, order);
  ::usleep(350'000);  // the doorbell is not served
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(400));
}

TEST(TaskPace, OnlySleep) {
  TaskBench bench(1, 0.1);
  TaskOrder order;
  order.part.sleep_ns = 400 * kMs;
  order.part.sleep_share = 1;
  bench.start(1, 1, order);
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(400));
  EXPECT_LT(bench.run(1).said.cpu.count(), 10 * kMs);
}

TEST(TaskPace, UnpacedIgnoresTheLine) {
  TaskBench bench(1, 0.001);  // on the line it would take 100 s
  TaskOrder order = burn(100);
  order.paced = 0;
  bench.start(1, 1, order);
  bench.serve_all();
  EXPECT_EQ(bench.run(1).status, 0);
  EXPECT_GE(bench.run(1).said.cpu.count(), 100 * kMs);
  EXPECT_LT(bench.run(1).wall(), milliseconds(10'000));
}

TEST(TaskPace, RateChangeWakesIt) {
  TaskBench bench(1, 0.1, CpuLimit::kShares);
  bench.pretend(2, 999, 1);  // leaves a thousandth: the next burst is due in 5 s
  bench.start(1, 1, burn(20));
  bench.serve(milliseconds(100));
  EXPECT_LT(bench.said(1).progress, 0.2);
  bench.end_pretence(2);
  bench.serve_all();
  EXPECT_EQ(bench.run(1).status, 0);
  EXPECT_TRUE(bench.run(1).contended);
  EXPECT_GE(bench.run(1).wall(), milliseconds(299));  // 100 ms of nearly nothing, then 200 ms
  EXPECT_LT(bench.run(1).wall(), milliseconds(1000));
}

TEST(TaskPace, SuspendedMakesNoProgress) {
  TaskBench bench(1, 0.1);
  bench.start(1, 1, burn(50));
  bench.serve(milliseconds(150));
  bench.lines().set_suspended(ContainerId{1}, true, now());
  bench.serve(milliseconds(50));  // the task ends its current burst
  worker::TaskSaid before = bench.said(1);
  EXPECT_GT(before.progress, 0);
  EXPECT_LT(before.progress, 0.7);
  bench.serve(milliseconds(250));
  EXPECT_EQ(bench.said(1).progress, before.progress);
  bench.lines().set_suspended(ContainerId{1}, false, now());
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(800));
  EXPECT_TRUE(bench.run(1).contended);
}

TEST(TaskPace, StoppedTimeIsNotMadeUp) {
  TaskBench bench(1, 0.1);
  bench.start(1, 1, burn(40));
  bench.serve(milliseconds(100));
  bench.lines().set_suspended(ContainerId{1}, true, now());
  ASSERT_EQ(::kill(bench.run(1).pid, SIGSTOP), 0);
  bench.serve(milliseconds(300));
  bench.lines().set_suspended(ContainerId{1}, false, now());
  ASSERT_EQ(::kill(bench.run(1).pid, SIGCONT), 0);
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(700));
}

TEST(TaskPace, JoiningHalfWaySharesFromThenOn) {
  TaskBench bench(1, 0.1);
  // The first task burns 25 ms alone in 250 ms. Then each gets half: its other 25 take 500 ms, in
  // which the second burns 25 as well. The other 25 of the second take 250 ms.
  bench.start(1, 1, burn(50));
  bench.serve(milliseconds(250));
  bench.start(2, 1, burn(50));
  bench.serve_all();
  expect_took(bench.run(1), milliseconds(750), milliseconds(15));
  expect_took(bench.run(2), milliseconds(750), milliseconds(15));
  EXPECT_TRUE(bench.run(1).contended);
  EXPECT_TRUE(bench.run(2).contended);
}

TEST(TaskPace, WeightsAreKeptUnderShares) {
  TaskBench bench(2, 0.1, CpuLimit::kShares);
  bench.start(1, 1, burn(1000, 2));
  bench.start(3, 3, burn(1000, 2));
  bench.serve(milliseconds(1000));
  // The rates are 0.05 and 0.15 of a CPU.
  double light = static_cast<double>(bench.said(1).cpu.count());
  double heavy = static_cast<double>(bench.said(3).cpu.count());
  EXPECT_NEAR(light, 50 * kMs, 5 * kMs);
  EXPECT_NEAR(heavy, 150 * kMs, 10 * kMs);
}

}  // namespace heddle::task_pace_test
