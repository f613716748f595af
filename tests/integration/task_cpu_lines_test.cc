// Tests the worker's side of the CPU lines with real pages and doorbell; the test plays the tasks
// and passes in the time.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "worker/cpu_lines.h"

namespace heddle::task_cpu_lines_test {

constexpr ContainerId kA{1};
constexpr ContainerId kB{2};

real::Time at(std::int64_t ms) { return real::Time(std::chrono::milliseconds(ms)); }
constexpr std::int64_t kMs = 1'000'000;

/// A task's view of its page.
class TaskSide {
 public:
  explicit TaskSide(int fd)
      : page_(static_cast<TaskPage*>(
            ::mmap(nullptr, sizeof(TaskPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0))) {}
  ~TaskSide() { ::munmap(page_, sizeof(TaskPage)); }
  TaskSide(const TaskSide&) = delete;
  TaskSide& operator=(const TaskSide&) = delete;

  TaskPage* operator->() { return page_; }
  double rate() const { return page_->line.rate.load(); }
  /// Returns the CPU in ms that each thread may have used by `ms`.
  double allowed(std::int64_t ms) const {
    return (static_cast<double>(page_->line.a0_ns.load()) +
            rate() * static_cast<double>(ms * kMs - page_->line.tc_ns.load())) /
           kMs;
  }

 private:
  TaskPage* page_;
};

TaskOrder burn(int threads = 1) {
  TaskOrder order;
  order.part.cpu_ns_per_thread = 1000 * kMs;
  order.part.threads = threads;
  return order;
}

/// Makes lines for 2 emulated cores, each of which is a tenth of a CPU.
std::unique_ptr<worker::CpuLines> two_cores(CpuLimit limit = CpuLimit::kStrict, double speed = 1) {
  Scale scale;
  scale.core = 0.1;
  return *worker::CpuLines::create({Millicores(2000), speed, limit, scale});
}

class CpuLines : public testing::Test {
 protected:
  std::unique_ptr<worker::CpuLines> lines = two_cores();
};

TEST_F(CpuLines, PublishesBeforeTheTaskBegins) {
  TaskOrder order = burn();
  order.memory_points = 1;
  order.memory[0] = {0, 5};
  TaskSide a(*lines->add(kA, Millicores(1000), order, at(100)));
  EXPECT_EQ(a->version, TaskPage::kVersion);
  EXPECT_EQ(a->order.part.start_ns, 100 * kMs);
  EXPECT_EQ(a->order.parent_pid, ::getpid());
  EXPECT_EQ(a->order.memory[0].bytes, 5);
  EXPECT_EQ(a->report.runnable.load(), 1);
  EXPECT_EQ(a->line.seq.load() % 2, 0U);
  EXPECT_DOUBLE_EQ(a.rate(), 0.1);
  EXPECT_NEAR(a.allowed(1100), 100, 1e-6);
  EXPECT_FALSE(lines->contended(kA));
}

// Launch time is not charged to the task: the line starts again once it runs.
TEST_F(CpuLines, BeginsAnewWhenTheTaskRuns) {
  TaskSide a(*lines->add(kA, Millicores(1000), burn(), at(100)));
  lines->begin(kA, at(130));
  EXPECT_EQ(a->order.part.start_ns, 130 * kMs);
  EXPECT_DOUBLE_EQ(a.rate(), 0.1);
  EXPECT_NEAR(a.allowed(130), 0, 1e-6);
  EXPECT_NEAR(a.allowed(1130), 100, 1e-6);
}

TEST_F(CpuLines, SpeedIsInTheRate) {
  lines = two_cores(CpuLimit::kStrict, 0.5);
  TaskSide a(*lines->add(kA, Millicores(1000), burn(), at(0)));
  EXPECT_DOUBLE_EQ(a.rate(), 0.05);
  EXPECT_FALSE(lines->contended(kA));
}

TEST_F(CpuLines, ContentionBendsTheLineAndIsRemembered) {
  TaskSide a(*lines->add(kA, Millicores(2000), burn(2), at(0)));
  TaskSide b(*lines->add(kB, Millicores(2000), burn(2), at(500)));
  EXPECT_DOUBLE_EQ(a.rate(), 0.05);
  EXPECT_DOUBLE_EQ(b.rate(), 0.05);
  lines->remove(kB, at(700));
  EXPECT_DOUBLE_EQ(a.rate(), 0.1);
  EXPECT_NEAR(a.allowed(1000), 50 + 10 + 30, 1e-6);
  EXPECT_TRUE(lines->contended(kA));
  EXPECT_FALSE(lines->contended(kB));  // removed
}

TEST_F(CpuLines, UnchangedRatesAreNotPublishedAgain) {
  TaskSide a(*lines->add(kA, Millicores(1000), burn(), at(0)));
  std::uint32_t sequence = a->line.seq.load();
  TaskSide b(*lines->add(kB, Millicores(1000), burn(), at(500)));
  lines->refill(at(600));
  lines->remove(kB, at(700));
  EXPECT_EQ(a->line.seq.load(), sequence);
}

TEST_F(CpuLines, SuspendedStandsStillAndLeavesRoom) {
  lines = two_cores(CpuLimit::kShares);
  TaskSide a(*lines->add(kA, Millicores(1000), burn(2), at(0)));
  TaskSide b(*lines->add(kB, Millicores(1000), burn(2), at(0)));
  lines->set_suspended(kA, true, at(100));
  EXPECT_DOUBLE_EQ(a.rate(), 0);
  EXPECT_NEAR(a.allowed(5000), 5, 1e-6);
  EXPECT_DOUBLE_EQ(b.rate(), 0.1);
  lines->set_suspended(kA, false, at(300));
  EXPECT_DOUBLE_EQ(a.rate(), 0.05);
  EXPECT_NEAR(a.allowed(400), 5 + 5, 1e-6);
  EXPECT_NEAR(b.allowed(400), 5 + 20 + 5, 1e-6);
}

// The task is resumed at 300 at a cost of 50: its rate is 0 until 350, even if rates are computed
// again before.
TEST_F(CpuLines, ResumingCosts) {
  lines = two_cores(CpuLimit::kShares);
  TaskSide a(*lines->add(kA, Millicores(1000), burn(2), at(0)));
  TaskSide b(*lines->add(kB, Millicores(1000), burn(2), at(0)));
  EXPECT_EQ(lines->next_due(), real::Time::max());
  lines->set_suspended(kA, true, at(100));
  EXPECT_EQ(lines->next_due(), real::Time::max());
  lines->set_suspended(kA, false, at(300), std::chrono::milliseconds(50));
  EXPECT_EQ(lines->next_due(), at(350));
  lines->refill(at(320));
  EXPECT_DOUBLE_EQ(a.rate(), 0);
  EXPECT_DOUBLE_EQ(b.rate(), 0.1);
  EXPECT_EQ(lines->next_due(), at(350));
  lines->refill(at(350));
  EXPECT_DOUBLE_EQ(a.rate(), 0.05);
  EXPECT_NEAR(a.allowed(400), 5 + 2.5, 1e-6);
  EXPECT_NEAR(b.allowed(400), 5 + 25 + 2.5, 1e-6);
  EXPECT_EQ(lines->next_due(), real::Time::max());
}

// A pause that ended at 330, before the task could resume at 350, is not made up for.
TEST_F(CpuLines, HungerWhileItPaysCountsFromWhenItGoesOn) {
  TaskSide a(*lines->add(kA, Millicores(1000), burn(), at(0)));
  lines->set_suspended(kA, true, at(100));
  lines->set_suspended(kA, false, at(300), std::chrono::milliseconds(50));
  a->report.runnable_since_ns.store(330 * kMs);
  lines->on_doorbell(at(355));
  EXPECT_NEAR(a.allowed(355), 10 + 0.5, 1e-6);
}

TEST_F(CpuLines, DoorbellRereadsWhoIsHungry) {
  TaskSide a(*lines->add(kA, Millicores(1000), burn(2), at(0)));
  EXPECT_DOUBLE_EQ(a.rate(), 0.05);
  pollfd doorbell{lines->doorbell_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&doorbell, 1, 0), 0);
  a->report.runnable.store(1);
  std::uint64_t one = 1;
  ASSERT_EQ(::write(lines->doorbell_fd(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  EXPECT_EQ(::poll(&doorbell, 1, 0), 1);
  lines->on_doorbell(at(100));
  EXPECT_EQ(::poll(&doorbell, 1, 0), 0);
  EXPECT_DOUBLE_EQ(a.rate(), 0.1);
  lines->on_doorbell(at(200));  // nobody rang: no effect
  EXPECT_DOUBLE_EQ(a.rate(), 0.1);
}

TEST_F(CpuLines, SleeperBeginsWhenItSaysNotWhenWeHear) {
  TaskOrder order = burn();
  order.part.sleep_ns = 1000 * kMs;
  TaskSide a(*lines->add(kA, Millicores(1000), order, at(0)));
  EXPECT_EQ(a->report.runnable.load(), 0);
  EXPECT_DOUBLE_EQ(a.rate(), 0);
  a->report.runnable_since_ns.store(1000 * kMs);
  a->report.runnable.store(1);
  lines->on_doorbell(at(1020));
  EXPECT_NEAR(a.allowed(1100), 10, 1e-6);
}

/// Returns the order of a task that has no part yet.
TaskOrder waiting() {
  TaskOrder order;
  order.part.number = 0;
  return order;
}

PartOrder part(int number, int threads = 1) {
  PartOrder part = burn(threads).part;
  part.number = number;
  part.last = 0;
  return part;
}

TEST_F(CpuLines, WhoHasNoPartTakesNoShareUntilItGetsOne) {
  TaskSide a(*lines->add(kA, Millicores(2000), waiting(), at(0)));
  TaskSide b(*lines->add(kB, Millicores(2000), burn(2), at(0)));
  EXPECT_EQ(a->order.part.number, 0);
  EXPECT_DOUBLE_EQ(a.rate(), 0);
  EXPECT_DOUBLE_EQ(b.rate(), 0.1);
  EXPECT_FALSE(lines->contended(kB));
  std::uint32_t sequence = a->line.seq.load();
  lines->give(kA, part(1, 2), at(500));
  EXPECT_NE(a->line.seq.load(), sequence);
  EXPECT_EQ(a->order.part.number, 1);
  EXPECT_EQ(a->order.part.threads, 2);
  EXPECT_EQ(a->order.part.start_ns, 500 * kMs);
  EXPECT_EQ(a->report.runnable.load(), 2);
  EXPECT_DOUBLE_EQ(a.rate(), 0.05);
  EXPECT_DOUBLE_EQ(b.rate(), 0.05);
  EXPECT_NEAR(a.allowed(1000), 25, 1e-6);
}

TEST_F(CpuLines, EndOfAPartIsToldOnceAndTheNextBeginsWithAnEmptyLine) {
  TaskSide a(*lines->add(kA, Millicores(1000), waiting(), at(0)));
  EXPECT_TRUE(lines->on_doorbell(at(10)).empty());
  lines->give(kA, part(1), at(100));
  EXPECT_TRUE(lines->on_doorbell(at(200)).empty());
  a->report.runnable.store(0);
  a->report.parts_done.store(1);
  EXPECT_EQ(lines->on_doorbell(at(300)), (std::vector<worker::CpuLines::DonePart>{{kA, 1}}));
  EXPECT_TRUE(lines->on_doorbell(at(310)).empty());
  EXPECT_DOUBLE_EQ(a.rate(), 0);
  EXPECT_NEAR(a.allowed(900), 20, 1e-6);
  lines->give(kA, part(2), at(1000));
  EXPECT_DOUBLE_EQ(a.rate(), 0.1);
  EXPECT_NEAR(a.allowed(1000), 0, 1e-6);
  EXPECT_NEAR(a.allowed(1100), 10, 1e-6);
  EXPECT_TRUE(lines->on_doorbell(at(1010)).empty());
  // A number that was never given is ignored.
  a->report.parts_done.store(7);
  EXPECT_TRUE(lines->on_doorbell(at(1020)).empty());
}

TEST_F(CpuLines, TimesOfAPartAreItsOwn) {
  TaskSide a(*lines->add(kA, Millicores(2000), waiting(), at(0)));
  lines->give(kA, part(1), at(100));
  EXPECT_EQ(lines->part_times(kA).begun, at(100));
  EXPECT_EQ(lines->part_times(kA).done, std::nullopt);
  a->report.part_done_ns.store(190 * kMs);
  a->report.parts_done.store(1);
  EXPECT_EQ(lines->part_times(kA).done, at(190));
  EXPECT_FALSE(lines->part_times(kA).disturbed);

  lines->give(kA, part(2, 2), at(200));
  EXPECT_EQ(lines->part_times(kA).done, std::nullopt) << "part 1 was done";
  TaskSide b(*lines->add(kB, Millicores(2000), burn(2), at(300)));
  EXPECT_TRUE(lines->part_times(kA).disturbed) << "both want two cores";
  lines->remove(kB, at(400));
  lines->give(kA, part(3), at(500));
  EXPECT_FALSE(lines->part_times(kA).disturbed);
  lines->set_suspended(kA, true, at(600));
  EXPECT_TRUE(lines->part_times(kA).disturbed);
  a->report.done_ns.store(700 * kMs);
  EXPECT_EQ(lines->part_times(kA).done, at(700)) << "all work is done";
}

TEST_F(CpuLines, PartIsToldToWhoIsSuspendedOrSleepsFirst) {
  TaskSide a(*lines->add(kA, Millicores(1000), waiting(), at(0)));
  lines->set_suspended(kA, true, at(100));
  EXPECT_FALSE(lines->contended(kA));  // it wanted no CPU
  std::uint32_t sequence = a->line.seq.load();
  lines->give(kA, part(1), at(200));
  EXPECT_NE(a->line.seq.load(), sequence);
  EXPECT_DOUBLE_EQ(a.rate(), 0);
  lines->set_suspended(kA, false, at(300));
  EXPECT_NEAR(a.allowed(400), 10, 1e-6);

  PartOrder sleeps = part(1);
  sleeps.sleep_ns = 1000 * kMs;
  TaskSide b(*lines->add(kB, Millicores(1000), waiting(), at(0)));
  sequence = b->line.seq.load();
  lines->give(kB, sleeps, at(500));
  EXPECT_NE(b->line.seq.load(), sequence);
  EXPECT_EQ(b->report.runnable.load(), 0);
  EXPECT_DOUBLE_EQ(b.rate(), 0);
}

// The task reports that its pause ended at 90, while it was suspended; that time is not made up
// for.
TEST_F(CpuLines, HungerWhileSuspendedCountsFromTheResumption) {
  TaskSide a(*lines->add(kA, Millicores(1000), burn(), at(0)));
  a->report.runnable.store(0);
  lines->on_doorbell(at(50));
  lines->set_suspended(kA, true, at(80));
  lines->set_suspended(kA, false, at(110));
  a->report.runnable_since_ns.store(90 * kMs);
  a->report.runnable.store(1);
  lines->on_doorbell(at(115));
  EXPECT_NEAR(a.allowed(115), 5 + 0.5, 1e-6);
}

TEST_F(CpuLines, OldOrFutureHungerCountsFromNow) {
  for (std::int64_t since : {500, 3000}) {
    lines = two_cores();
    TaskOrder order = burn();
    order.part.sleep_ns = 1000 * kMs;
    TaskSide a(*lines->add(kA, Millicores(1000), order, at(0)));
    a->report.runnable_since_ns.store(since * kMs);
    a->report.runnable.store(1);
    lines->on_doorbell(at(1020));
    EXPECT_NEAR(a.allowed(1120), 10, 1e-6) << since;
  }
}

TEST_F(CpuLines, NonsenseInThePageIsContained) {
  lines = two_cores(CpuLimit::kShares);
  TaskSide a(*lines->add(kA, Millicores(1000), burn(), at(0)));
  TaskSide b(*lines->add(kB, Millicores(1000), burn(), at(0)));
  a->report.runnable.store(1'000'000);
  a->report.progress.store(7);
  a->order.part.threads = 1'000'000;
  lines->on_doorbell(at(100));
  EXPECT_DOUBLE_EQ(b.rate(), 0.1);
  EXPECT_EQ(lines->said(kA)->progress, 1);
}

TEST_F(CpuLines, PagesAreReusedClean) {
  int first = *lines->add(kA, Millicores(1000), burn(2), at(0));
  {
    TaskSide a(first);
    a->report.progress.store(0.7);
    a->report.cpu_ns.store(5);
    a->report.done_ns.store(77);
  }
  EXPECT_EQ(lines->said(kA)->progress, 0.7);
  EXPECT_EQ(lines->said(kA)->done, real::Time(real::Duration(77)));
  lines->remove(kA, at(1000));
  EXPECT_FALSE(lines->said(kA));
  int second = *lines->add(kB, Millicores(1000), burn(), at(2000));
  EXPECT_EQ(second, first);
  TaskSide b(second);
  EXPECT_EQ(lines->said(kB)->progress, 0);
  EXPECT_EQ(lines->said(kB)->cpu.count(), 0);
  EXPECT_FALSE(lines->said(kB)->done);
  EXPECT_NEAR(b.allowed(2100), 10, 1e-6);
}

TEST_F(CpuLines, UnknownContainersAreNobody) {
  lines->remove(kA, at(0));
  lines->set_suspended(kA, true, at(0));
  lines->give(kA, part(1), at(0));
  EXPECT_FALSE(lines->contended(kA));
  EXPECT_FALSE(lines->said(kA));
}

TEST(OrderFor, ConvertsToRealUnits) {
  Scale scale;
  scale.time = 0.2;
  scale.core = 0.1;
  scale.memory = 1.0 / 64;
  TaskWork work;
  work.cpu = core_seconds(20);
  work.threads = 2;
  work.sleep = emu_seconds(10);
  work.memory = {{0, EmuBytes(64 << 20)}, {0.5, EmuBytes(128 << 20)}};
  // 20 core-seconds are 20 * 0.2 * 0.1 = 0.4 s of CPU, 0.2 for each thread. The ideal time is 10 s
  // of sleep and 20 core-seconds on 2 cores.
  TaskOrder order =
      worker::order_for(work, scale, Millicores(2000), 1.0, CpuLimit::kStrict, Pacing::kLine);
  EXPECT_EQ(order.part.cpu_ns_per_thread, 200 * kMs);
  EXPECT_EQ(order.part.threads, 2);
  EXPECT_EQ(order.paced, 1);
  EXPECT_EQ(order.part.number, 1);
  EXPECT_EQ(order.part.last, 1);
  EXPECT_EQ(order.part.sleep_ns, 2000 * kMs);
  EXPECT_DOUBLE_EQ(order.part.sleep_share, 0.5);
  ASSERT_EQ(order.memory_points, 2);
  EXPECT_EQ(order.memory[0].bytes, 1 << 20);
  EXPECT_EQ(order.memory[1].bytes, 2 << 20);
  EXPECT_DOUBLE_EQ(order.memory[1].progress, 0.5);
  // On one core of half the speed the CPU part takes 40 s, so the sleep is a fifth.
  EXPECT_DOUBLE_EQ(
      worker::order_for(work, scale, Millicores(1000), 0.5, CpuLimit::kStrict, Pacing::kLine)
          .part.sleep_share,
      0.2);
  EXPECT_EQ(
      worker::order_for(work, scale, Millicores(1000), 1, CpuLimit::kStrict, Pacing::kNone).paced,
      0);
}

TEST(OrderFor, PartIsThereFromTheBeginningUnlessThereIsSomethingToWaitFor) {
  auto part_of = [](const TaskWork& work) {
    return worker::order_for(work, Scale{}, Millicores(1000), 1, CpuLimit::kStrict, Pacing::kLine)
        .part;
  };
  TaskWork writes, waits, reads, fetches, executor;
  writes.writes = {{1, EmuBytes(5), true, {}}};
  waits.waits = true;
  reads.reads = {{1, EmuBytes(0), EmuBytes(5), {NodeId{0}}}};
  fetches.sources = 3;
  executor.executor = true;
  EXPECT_EQ(part_of(writes).number, 1);
  EXPECT_EQ(part_of(writes).last, 0);
  for (const TaskWork& work : {waits, reads, fetches, executor}) EXPECT_EQ(part_of(work).number, 0);
}

TEST(OrderFor, PausesAndProgressOfAPart) {
  Scale scale;
  scale.time = 0.1;
  worker::ProcessPart part;
  part.number = 4;
  part.last = false;
  part.from = 0.25;
  part.to = 0.5;
  part.work.cpu = core_seconds(4);
  part.work.sleep = emu_seconds(2);
  part.work.pauses = 2;
  part.work.pause = emu_seconds(1);
  PartOrder order = worker::order_for(part, scale, Millicores(1000), 1, CpuLimit::kStrict);
  EXPECT_EQ(order.number, 4);
  EXPECT_EQ(order.last, 0);
  EXPECT_EQ(order.from, 0.25);
  EXPECT_EQ(order.to, 0.5);
  EXPECT_EQ(order.pauses, 2);
  EXPECT_EQ(order.pause_ns, 100 * kMs);
  EXPECT_DOUBLE_EQ(order.sleep_share, 0.25);
  EXPECT_DOUBLE_EQ(order.pause_share, 0.25);
}

// The command's share is its cores and no more, whatever it does and whatever its page says.
TEST_F(CpuLines, CommandsClaimIsItsCoresAllTheTime) {
  for (CpuLimit limit : {CpuLimit::kStrict, CpuLimit::kShares}) {
    lines = two_cores(limit);
    TaskSide command(*lines->add_command(kA, Millicores(1500), at(0)));
    TaskSide task(*lines->add(kB, Millicores(2000), burn(2), at(0)));
    // By weights of 1500 : 2000 the command would get 0.86 of the 2 cores; the task gets the rest.
    EXPECT_NEAR(task.rate(), (2 - 2 * 1500.0 / 3500) / 2 * 0.1, 1e-9);
    command->report.runnable.store(0);
    lines->refill(at(10));
    EXPECT_NEAR(task.rate(), (2 - 2 * 1500.0 / 3500) / 2 * 0.1, 1e-9);
    lines->set_suspended(kA, true, at(20));
    EXPECT_NEAR(task.rate(), 0.1, 1e-9);
  }
  // The command claims half a core at most, though one thread could use a whole one.
  lines = two_cores(CpuLimit::kShares);
  TaskSide command(*lines->add_command(kA, Millicores(500), at(0)));
  TaskSide task(*lines->add(kB, Millicores(1000), burn(2), at(0)));
  EXPECT_NEAR(task.rate(), 0.75 * 0.1, 1e-9);
}

TEST_F(CpuLines, TellsWhyACommandWasNotExecuted) {
  TaskSide command(*lines->add_command(kA, Millicores(500), at(0)));
  EXPECT_EQ(lines->said(kA)->start_error, 0);
  command->report.failed_step.store(CommandStep::kUser);
  command->report.start_error.store(1);
  EXPECT_EQ(lines->said(kA)->start_error, 1);
  EXPECT_EQ(lines->said(kA)->failed_step, CommandStep::kUser);
}

}  // namespace heddle::task_cpu_lines_test
