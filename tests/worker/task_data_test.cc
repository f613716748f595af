// Tests what tasks read, do and write, in the order that the task table requires.
#include "worker/task_data.h"

#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/worker/task_life.h"
#include "worker/task_table.h"

namespace heddle::worker::task_data_test {

real::Time at(std::int64_t ns) { return real::Time(real::Duration(ns)); }

TEST(TaskData, LivesAreAsInTheTable) {
  for (const char* kind : {"data", "executors"})
    tests::expect_messages("worker/task_life.yaml", kind,
                           [](const auto& row) { return life_of(row[0], row[1]); });
}

class TaskDataTest : public testing::Test {
 protected:
  void run(const wire::LaunchCommand& launch) {
    table_.command(launch, at(10));
    table_.started(kC, at(20));
  }
  TaskTable table_;
};

TEST_F(TaskDataTest, WorkIsOnePart) {
  wire::LaunchCommand launch = launch_of("reads=1");
  launch.work.cpu = core_seconds(5);
  run(launch);
  const Effects effects = table_.read_done(kC, input("1"), at(30));
  ASSERT_THAT(words(effects), ElementsAre("report inputs_read 7", "give 7 part 1, the last"));
  EXPECT_EQ(std::get<wire::Report>(effects[0]).monotonic_ns, 30);
  const ProcessPart& part = std::get<Give>(effects[1]).part;
  EXPECT_EQ(part.work.cpu, core_seconds(5));
  EXPECT_EQ(part.from, 0);
  EXPECT_EQ(part.to, 1);
}

TEST_F(TaskDataTest, TheEndAfterWritingIsAPartOfNothing) {
  run(launch_of("writes=1"));
  table_.part_done(kC, 1, at(40));
  const Effects effects = table_.write_done(kC, at(50));
  ASSERT_THAT(words(effects), ElementsAre("give 7 part 2, the last"));
  const ProcessPart& last = std::get<Give>(effects[0]).part;
  EXPECT_EQ(last.work, TaskWork{});
  EXPECT_EQ(last.from, 1);
  EXPECT_EQ(last.to, 1);
}

TEST_F(TaskDataTest, ExecutorDoesPartAfterPartUntilItIsToFinish) {
  run(launch_of("executor"));
  const TaskPart first{1, 0, core_seconds(3), 2, inputs("1"), {output("2")}, 0.25};
  EXPECT_THAT(words(table_.command(RunPart{kC, first}, at(20))), ElementsAre("read 7 object 1"));
  Effects effects = table_.read_done(kC, input("1"), at(30));
  ASSERT_THAT(words(effects), ElementsAre("report inputs_read 7", "give 7 part 1"));
  const ProcessPart& part = std::get<Give>(effects[1]).part;
  EXPECT_EQ(part.work.cpu, core_seconds(3));
  EXPECT_EQ(part.work.threads, 2);
  EXPECT_EQ(part.from, 0);
  EXPECT_EQ(part.to, 0.25);
  EXPECT_THAT(words(table_.part_done(kC, 1, at(40))), ElementsAre("write 7 object 2"));
  EXPECT_THAT(words(table_.write_done(kC, at(50))), ElementsAre("report part_done 7 part 1"));

  effects = table_.command(RunPart{kC, {2, 1, core_seconds(1), 1, {}, {}, 0.75}}, at(60));
  ASSERT_THAT(words(effects), ElementsAre("report inputs_read 7", "give 7 part 2"));
  EXPECT_EQ(std::get<Give>(effects[1]).part.from, 0.25);
  EXPECT_EQ(std::get<Give>(effects[1]).part.to, 0.75);
  EXPECT_THAT(words(table_.part_done(kC, 2, at(65))), ElementsAre("report part_done 7 part 2"));

  effects = table_.command(Finish{kC}, at(70));
  ASSERT_THAT(words(effects), ElementsAre("give 7 part 3, the last"));
  EXPECT_EQ(std::get<Give>(effects[0]).part.from, 0.75);
  EXPECT_EQ(std::get<Give>(effects[0]).part.to, 0.75);
  EXPECT_TRUE(table_.command(Finish{kC}, at(75)).empty());
}

TEST_F(TaskDataTest, PartsOfTooManyThreadsAreRefused) {
  run(launch_of("executor"));
  const RunPart wide{kC, {1, 0, core_seconds(1), 257, {}, {}, 0.5}};
  EXPECT_THAT(words(table_.command(wide, at(30))),
              ElementsAre("report refused 7: run part 1 in container 7: threads: expected 1 to "
                          "256, got 257"));
}

}  // namespace heddle::worker::task_data_test
