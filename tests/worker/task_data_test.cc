// Tests what tasks read, do and write, in the order that the task table requires.
#include "worker/task_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/worker/effect_words.h"
#include "worker/task_table.h"

namespace heddle::worker::task_data_test {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ContainerId kC{7};
const ProcessEnd kSigkill{true, SIGKILL, OomCause::kNone};

real::Time at(std::int64_t ns) { return real::Time(real::Duration(ns)); }

/// Returns an input: a block if `source` is -1, else a map's output.
DataRead input(std::uint64_t object, int source = -1) {
  return {object, EmuBytes(0), EmuBytes(100), {NodeId{0}, NodeId{3}}, source};
}
DataWrite output(std::uint64_t object) { return {object, EmuBytes(50), false, {NodeId{2}}}; }

class TaskDataTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  Words command(const auto& what) { return words(table_.command(what, at(10))); }
  Words launch(const TaskWork& work) {
    wire::LaunchCommand launch;
    launch.container = kC;
    launch.work = work;
    return command(launch);
  }
  Words started() { return words(table_.started(kC, at(20))); }
  /// Launches and starts a task.
  Words run(const TaskWork& work) {
    launch(work);
    return started();
  }
  Words read(const DataRead& read) { return words(table_.read_done(kC, read, at(30))); }
  Words lose(const DataRead& read) {
    return words(table_.read_failed(kC, read, "no such object", at(30)));
  }
  Words done(int part) { return words(table_.part_done(kC, part, at(40))); }
  Words written() { return words(table_.write_done(kC, at(50))); }
  Words fetch(const std::vector<DataRead>& reads) { return command(Fetch{kC, reads}); }
  Words run_part(int number, std::vector<DataRead> reads = {}, std::vector<DataWrite> writes = {}) {
    TaskPart part;
    part.number = number;
    part.cpu = core_seconds(3);
    part.threads = 2;
    part.reads = std::move(reads);
    part.writes = std::move(writes);
    part.progress = number * 0.25;
    return command(RunPart{kC, part});
  }
  Words suspend() { return command(Suspend{kC}); }
  Words resume() { return command(Resume{kC}); }

  static TaskWork reading(std::vector<DataRead> reads) {
    TaskWork work;
    work.cpu = core_seconds(5);
    work.reads = std::move(reads);
    return work;
  }
  static TaskWork fetching(int sources, std::vector<DataRead> reads = {}) {
    TaskWork work = reading(std::move(reads));
    work.sources = sources;
    return work;
  }
  static TaskWork executor() {
    TaskWork work;
    work.executor = true;
    return work;
  }
  TaskTable table_;
};

TEST_F(TaskDataTest, WorkIsGivenWhenAllIsRead) {
  EXPECT_THAT(launch(reading({input(1), input(2)})), ElementsAre("start 7"));
  EXPECT_THAT(started(), ElementsAre("report started 7", "read 7 object 1", "read 7 object 2"));
  EXPECT_THAT(read(input(2)), IsEmpty());
  Effects effects = table_.read_done(kC, input(1), at(30));
  EXPECT_THAT(words(effects), ElementsAre("report inputs_read 7", "give 7 part 1, the last"));
  EXPECT_EQ(std::get<wire::Report>(effects[0]).monotonic_ns, 30);
  const ProcessPart& part = std::get<Give>(effects[1]).part;
  EXPECT_EQ(part.work.cpu, core_seconds(5));
  EXPECT_EQ(part.from, 0);
  EXPECT_EQ(part.to, 1);
  EXPECT_THAT(read(input(1)), IsEmpty());
}

TEST_F(TaskDataTest, FewReadsAtOnce) {
  EXPECT_THAT(run(reading({input(1), input(2), input(3), input(4), input(5), input(6)})),
              ElementsAre("report started 7", "read 7 object 1", "read 7 object 2",
                          "read 7 object 3", "read 7 object 4", "read 7 object 5"));
  EXPECT_THAT(read(input(3)), ElementsAre("read 7 object 6"));
}

TEST_F(TaskDataTest, ReduceWaitsForAllItsSources) {
  EXPECT_THAT(run(fetching(2, {input(1, 0)})), ElementsAre("report started 7", "read 7 object 1"));
  EXPECT_THAT(read(input(1, 0)), IsEmpty());
  EXPECT_THAT(fetch({input(2, 1)}), ElementsAre("read 7 object 2"));
  EXPECT_THAT(read(input(2, 1)), ElementsAre("report inputs_read 7", "give 7 part 1, the last"));
  // Inputs that are announced again, or too late to matter, are not read again.
  EXPECT_THAT(fetch({input(2, 1), input(3, 1)}), IsEmpty());
}

TEST_F(TaskDataTest, FetchBeforeTheProcessHasStarted) {
  launch(fetching(1));
  EXPECT_THAT(fetch({input(1, 0)}), IsEmpty());
  EXPECT_THAT(started(), ElementsAre("report started 7", "read 7 object 1"));
}

TEST_F(TaskDataTest, LostSourceIsReportedAndAwaited) {
  run(fetching(1, {input(1, 0)}));
  Effects effects = table_.read_failed(kC, input(1, 0), "no such object", at(30));
  EXPECT_THAT(words(effects), ElementsAre("report input_lost 7 source 0 object 1"));
  EXPECT_EQ(std::get<wire::Report>(effects[0]).reason(),
            "could not read object 1 from nodes 0, 3: no such object");
  EXPECT_THAT(fetch({input(8, 0)}), ElementsAre("read 7 object 8"));
  EXPECT_THAT(read(input(8, 0)), ElementsAre("report inputs_read 7", "give 7 part 1, the last"));
}

TEST_F(TaskDataTest, LossOfWhatIsReplacedAlreadyIsNoNews) {
  run(fetching(1, {input(1, 0)}));
  fetch({input(8, 0)});
  EXPECT_THAT(lose(input(1, 0)), IsEmpty());
}

TEST_F(TaskDataTest, LostBlockFailsTheAttempt) {
  run(reading({input(0xbeef), input(2)}));
  EXPECT_THAT(lose(input(0xbeef)), ElementsAre("kill 7"));
  EXPECT_THAT(lose(input(2)), IsEmpty());
  Effects effects = table_.exited(kC, kSigkill, {}, at(60));
  EXPECT_THAT(words(effects), ElementsAre("report ended 7 failed", "release 7"));
  EXPECT_EQ(std::get<wire::Report>(effects[0]).reason(),
            "could not read object beef from nodes 0, 3: no such object");
}

TEST_F(TaskDataTest, OomKillOfWhatFailedIsStillAnOomKill) {
  run(reading({input(1)}));
  lose(input(1));
  EXPECT_THAT(words(table_.exited(kC, {true, SIGKILL, OomCause::kNode}, {}, at(60))),
              ElementsAre("report ended 7 oom_killed", "release 7"));
}

TEST_F(TaskDataTest, EndsOnlyWhenAllIsWritten) {
  TaskWork work;
  work.writes = {output(1), output(2)};
  // The task has its part from the beginning.
  EXPECT_THAT(run(work), ElementsAre("report started 7"));
  EXPECT_THAT(done(1), ElementsAre("write 7 object 1", "write 7 object 2"));
  EXPECT_THAT(done(1), IsEmpty());
  EXPECT_THAT(written(), IsEmpty());
  Effects effects = table_.write_done(kC, at(50));
  EXPECT_THAT(words(effects), ElementsAre("give 7 part 2, the last"));
  const ProcessPart& last = std::get<Give>(effects[0]).part;
  EXPECT_EQ(last.work, TaskWork{});
  EXPECT_EQ(last.from, 1);
  EXPECT_EQ(last.to, 1);
  EXPECT_THAT(suspend(), ElementsAre("stop 7"));
}

TEST_F(TaskDataTest, FailedWriteFailsTheAttempt) {
  TaskWork work;
  work.writes = {output(1), output(2)};
  run(work);
  done(1);
  EXPECT_THAT(words(table_.write_failed(kC, output(1), "no space left", at(50))),
              ElementsAre("kill 7"));
  EXPECT_THAT(written(), IsEmpty());
  Effects effects = table_.exited(kC, kSigkill, {}, at(60));
  EXPECT_EQ(std::get<ContainerEnded>(std::get<wire::Report>(effects[0]).what).outcome,
            Outcome::kFailed);
  EXPECT_EQ(std::get<wire::Report>(effects[0]).reason(),
            "could not write object 1 with copies on node 2: no space left");
}

TEST_F(TaskDataTest, ReadsThenWrites) {
  TaskWork work = reading({input(1)});
  work.writes = {output(2)};
  run(work);
  EXPECT_THAT(read(input(1)), ElementsAre("report inputs_read 7", "give 7 part 1"));
  EXPECT_THAT(done(1), ElementsAre("write 7 object 2"));
  EXPECT_THAT(written(), ElementsAre("give 7 part 2, the last"));
}

TEST_F(TaskDataTest, WhatWaitsIsGivenItsWorkOnceHoweverOftenItsInputsAreReady) {
  TaskWork work;
  work.waits = true;
  EXPECT_THAT(run(work), ElementsAre("report started 7"));
  EXPECT_THAT(command(InputsReady{kC}), ElementsAre("give 7 part 1, the last"));
  EXPECT_THAT(command(InputsReady{kC}), IsEmpty());
}

TEST_F(TaskDataTest, InputsReadyBeforeTheProcessHasStarted) {
  TaskWork work = reading({input(1)});
  work.waits = true;
  launch(work);
  EXPECT_THAT(command(InputsReady{kC}), IsEmpty());
  EXPECT_THAT(started(), ElementsAre("report started 7", "read 7 object 1"));
}

TEST_F(TaskDataTest, WhatIsBeingReadComesWhileSuspendedAndWorkBeginsAfterwards) {
  run(reading({input(1), input(2), input(3), input(4), input(5)}));
  EXPECT_THAT(suspend(), ElementsAre("stop 7"));
  EXPECT_THAT(read(input(1)), IsEmpty());
  EXPECT_THAT(words(table_.stopped(kC, at(35))), ElementsAre("report suspended 7"));
  for (std::uint64_t object : {2, 3, 4}) EXPECT_THAT(read(input(object)), IsEmpty());
  EXPECT_THAT(read(input(5)), ElementsAre("report inputs_read 7"));
  EXPECT_THAT(resume(), ElementsAre("continue 7"));
  EXPECT_THAT(words(table_.continued(kC, at(36))),
              ElementsAre("report resumed 7", "give 7 part 1, the last"));
}

// A sixth read, and the inputs of a fetch, wait until the task is resumed.
TEST_F(TaskDataTest, NoReadBeginsWhileSuspended) {
  run(fetching(1, {input(1), input(2), input(3), input(4), input(5), input(6)}));
  suspend();
  EXPECT_THAT(words(table_.stopped(kC, at(35))), ElementsAre("report suspended 7"));
  EXPECT_THAT(read(input(1)), IsEmpty());
  EXPECT_THAT(fetch({input(7, 0)}), IsEmpty());
  EXPECT_THAT(resume(), ElementsAre("continue 7"));
  EXPECT_THAT(words(table_.continued(kC, at(36))),
              ElementsAre("report resumed 7", "read 7 object 6"));
  EXPECT_THAT(read(input(2)), ElementsAre("read 7 object 7"));
}

TEST_F(TaskDataTest, SuspendedBeforeItHasStartedReadsOnceItGoesOn) {
  launch(reading({input(1)}));
  suspend();
  EXPECT_THAT(started(), ElementsAre("report started 7", "stop 7"));
  EXPECT_THAT(words(table_.stopped(kC, at(35))), ElementsAre("report suspended 7"));
  EXPECT_THAT(resume(), ElementsAre("continue 7"));
  EXPECT_THAT(words(table_.continued(kC, at(36))),
              ElementsAre("report resumed 7", "read 7 object 1"));
}

TEST_F(TaskDataTest, WritingGoesOnWhileSuspendedAndItEndsAfterwards) {
  TaskWork work;
  work.writes = {output(1)};
  run(work);
  done(1);
  suspend();
  table_.stopped(kC, at(45));
  EXPECT_THAT(written(), IsEmpty());
  resume();
  EXPECT_THAT(words(table_.continued(kC, at(55))),
              ElementsAre("report resumed 7", "give 7 part 2, the last"));
}

TEST_F(TaskDataTest, NothingGoesOnWhileItIsBeingKilled) {
  run(reading({input(1), input(2), input(3), input(4), input(5), input(6)}));
  EXPECT_THAT(command(Kill{kC}), ElementsAre("kill 7"));
  EXPECT_THAT(read(input(1)), IsEmpty());
  EXPECT_THAT(lose(input(2)), IsEmpty());
  EXPECT_THAT(fetch({input(9, 0)}), IsEmpty());
  EXPECT_THAT(words(table_.exited(kC, kSigkill, {}, at(60))),
              ElementsAre("report ended 7 killed", "release 7"));
  EXPECT_THAT(read(input(3)), IsEmpty());
  EXPECT_THAT(lose(input(4)), IsEmpty());
  EXPECT_THAT(done(1), IsEmpty());
  EXPECT_THAT(written(), IsEmpty());
}

TEST_F(TaskDataTest, ExecutorDoesPartAfterPartUntilItIsToFinish) {
  EXPECT_THAT(run(executor()), ElementsAre("report started 7"));
  EXPECT_THAT(run_part(1, {input(1)}, {output(2)}), ElementsAre("read 7 object 1"));
  Effects effects = table_.read_done(kC, input(1), at(30));
  ASSERT_THAT(words(effects), ElementsAre("report inputs_read 7", "give 7 part 1"));
  const ProcessPart& first = std::get<Give>(effects[1]).part;
  EXPECT_EQ(first.work.cpu, core_seconds(3));
  EXPECT_EQ(first.work.threads, 2);
  EXPECT_EQ(first.from, 0);
  EXPECT_EQ(first.to, 0.25);
  EXPECT_THAT(done(1), ElementsAre("write 7 object 2"));
  EXPECT_THAT(written(), ElementsAre("report part_done 7 part 1"));

  effects = table_.command(RunPart{kC, {2, 1, core_seconds(1), 1, {}, {}, 0.75}}, at(60));
  ASSERT_THAT(words(effects), ElementsAre("report inputs_read 7", "give 7 part 2"));
  EXPECT_EQ(std::get<Give>(effects[1]).part.from, 0.25);
  EXPECT_EQ(std::get<Give>(effects[1]).part.to, 0.75);
  EXPECT_THAT(done(2), ElementsAre("report part_done 7 part 2"));

  effects = table_.command(Finish{kC}, at(70));
  ASSERT_THAT(words(effects), ElementsAre("give 7 part 3, the last"));
  EXPECT_EQ(std::get<Give>(effects[0]).part.from, 0.75);
  EXPECT_EQ(std::get<Give>(effects[0]).part.to, 0.75);
  EXPECT_THAT(command(Finish{kC}), IsEmpty());
}

TEST_F(TaskDataTest, ExecutorIsToldEverythingBeforeItHasStarted) {
  launch(executor());
  EXPECT_THAT(run_part(1), IsEmpty());
  EXPECT_THAT(command(Finish{kC}), IsEmpty());
  EXPECT_THAT(started(), ElementsAre("report started 7", "report inputs_read 7", "give 7 part 1"));
  EXPECT_THAT(done(1), ElementsAre("report part_done 7 part 1", "give 7 part 2, the last"));
}

TEST_F(TaskDataTest, PartsQueueAndFetchesGoToTheLatest) {
  run(executor());
  run_part(1);
  EXPECT_THAT(run_part(2, {input(1, 0)}), IsEmpty());
  EXPECT_THAT(fetch({input(9, 0)}), IsEmpty());
  EXPECT_THAT(done(1), ElementsAre("report part_done 7 part 1", "read 7 object 9"));
}

TEST_F(TaskDataTest, PartsAreDoneOnceHoweverOftenTheyAreTold) {
  run(executor());
  EXPECT_THAT(run_part(1), ElementsAre("report inputs_read 7", "give 7 part 1"));
  EXPECT_THAT(run_part(1), IsEmpty());
  EXPECT_THAT(done(1), ElementsAre("report part_done 7 part 1"));
  EXPECT_THAT(run_part(1), IsEmpty());
}

TEST_F(TaskDataTest, WhatCantBeIsRefusedWithItsReason) {
  auto refusal = [&](const auto& what) {
    Effects effects = table_.command(what, at(10));
    return effects.size() == 1 ? std::get<wire::Report>(effects[0]).reason() : "";
  };
  const TaskPart part{1, 0, core_seconds(1), 1, {}, {}, 0.5};
  EXPECT_EQ(refusal(RunPart{kC, part}), "run part 1 in container 7: not alive on this node");
  EXPECT_EQ(refusal(Fetch{kC, {}}), "fetch for container 7: not alive on this node");
  EXPECT_EQ(refusal(Finish{kC}), "finish container 7: not alive on this node");
  run(TaskWork{});
  EXPECT_EQ(refusal(RunPart{kC, part}), "run part 1 in container 7: is not an executor");
  table_.exited(kC, kSigkill, {}, at(60));
  run(executor());
  EXPECT_EQ(refusal(RunPart{kC, {1, 0, core_seconds(1), 257, {}, {}, 0.5}}),
            "run part 1 in container 7: threads: expected 1 to 256, got 257");
  command(Finish{kC});
  EXPECT_EQ(refusal(RunPart{kC, part}), "run part 1 in container 7: is finishing");
}

}  // namespace heddle::worker::task_data_test
