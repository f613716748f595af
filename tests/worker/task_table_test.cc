#include "worker/task_table.h"

#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/worker/task_life.h"

namespace heddle::worker::task_table_test {

real::Time at(std::int64_t ns) { return real::Time(real::Duration(ns)); }

TEST(TaskTable, LivesAreAsInTheTable) {
  tests::expect_messages("worker/task_life.yaml", "table",
                         [](const auto& row) { return life_of(row[0], row[1]); });
}

TEST(TaskTable, AnEndHasItsTimeAndUsage) {
  TaskTable table;
  table.command(launch_of(""), at(1));
  table.started(kC, at(5));
  EXPECT_FALSE(table.empty());
  AttemptUsage usage;
  usage.cpu = core_seconds(3);
  const Effects effects = table.exited(kC, {}, usage, at(9));
  const auto& report = std::get<wire::Report>(effects.at(0));
  EXPECT_EQ(report.monotonic_ns, 9);
  EXPECT_EQ(std::get<ContainerEnded>(report.what).usage.cpu, core_seconds(3));
  EXPECT_TRUE(table.empty());
}

TEST(TaskTable, KillAllKillsEachOnceInOrderOfId) {
  TaskTable table;
  const auto launch = [&](std::int64_t id) {
    wire::LaunchCommand command = launch_of("");
    command.container = ContainerId{id};
    table.command(command, at(1));
    return command.container;
  };
  for (std::int64_t id : {3, 1, 2}) table.started(launch(id), at(2));
  table.command(Kill{ContainerId{2}}, at(3));
  EXPECT_TRUE(table.start_wanted(launch(4)));
  EXPECT_THAT(table.containers(),
              ElementsAre(ContainerId{1}, ContainerId{2}, ContainerId{3}, ContainerId{4}));
  EXPECT_THAT(words(table.kill_all()), ElementsAre("kill 1", "kill 3"));
  EXPECT_FALSE(table.start_wanted(ContainerId{4}));
}

// A limit of 1024 MiB, and a peak of 1100 MiB. "an eighth": a real byte is eight emulated ones.
TEST(DescribeEnd, TellsWhy) {
  tests::expect_messages("worker/task_life.yaml", "ends", [](const auto& row) {
    const auto known = [&](const char* fact) { return row[1].find(fact) != row[1].npos; };
    const auto [kind, value] = split(row[0], ' ');
    ProcessEnd end{kind == "signal", std::stoi(value)};
    if (known("own limit")) end.oom = OomCause::kContainer;
    if (known("limit of the node")) end.oom = OomCause::kNode;
    if (known("limit of the host")) end.oom = OomCause::kOther;
    if (known("output limit")) end.limit = "ended: it wrote too much";
    if (known("not executed")) end.not_started = "sort: execute it: No such file or directory";
    end.machine_failed = known("machine failed");
    if (known("an eighth")) end.scale.memory = 0.125;
    const ContainerEnded ended =
        describe_end(end, known("killed by us"), EmuBytes(1LL << 30), EmuBytes(1100LL << 20));
    return fmt::format("{} {} {}: {}", wire::name_of(ended.outcome), wire::name_of(ended.oom),
                       ended.exit_code, ended.reason);
  });
}

}  // namespace heddle::worker::task_table_test
