// The CPU time of launches by part: the sums of known times, and measurements of real files and
// processes.
#include "bench/launch_costs.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "common/own_usage.h"

namespace heddle::bench::launch_costs_test {

using testing::HasSubstr;
using wire::Json;

TEST(LaunchCosts, PerLaunchIsTheDifference) {
  const LaunchCpu before{1, 2, 3, 4}, after{2, 4, 6, 8};
  const LaunchCpu each = per_launch(before, after, 10);
  EXPECT_DOUBLE_EQ(each.start, 0.1);
  EXPECT_DOUBLE_EQ(each.process, 0.2);
  EXPECT_DOUBLE_EQ(each.limits, 0.3);
  EXPECT_DOUBLE_EQ(each.measure, 0.4);
}

// In us: bare 100 + 400. In groups 110 + 440, so joining takes 50. Of the worker's 300, 110 + 40 +
// 20 are the start, the limits and the measurement.
TEST(LaunchCosts, PartsBeyondTheTasksOwnStart) {
  LaunchCosts costs;
  costs.bare = {100e-6, 400e-6, 0, 0};
  costs.groups = {110e-6, 440e-6, 40e-6, 20e-6};
  costs.worker = 300e-6;
  costs.master = 60e-6;
  costs.journal = 5e-6;
  const Json parts = launch_parts(costs);
  const Json expected = Json::parse(R"([
    {"part": "task's own start", "us": 500.0}, {"part": "limits", "us": 40.0},
    {"part": "join", "us": 50.0}, {"part": "measure", "us": 20.0},
    {"part": "messages, worker", "us": 130.0}, {"part": "messages, master", "us": 60.0},
    {"part": "journal", "us": 5.0}, {"part": "sum beyond it", "us": 305.0}])");
  EXPECT_EQ(parts, expected);
  EXPECT_THAT(format_launch_parts(parts), HasSubstr("messages, master   60.0\n"));
}

TEST(LaunchCosts, JournalHasThreeLinesPerLaunch) {
  const std::string path = testing::TempDir() + "heddle-costs-" + std::to_string(::getpid());
  Result<double> cpu = journal_cpu_s(path, 10);
  ASSERT_TRUE(cpu) << cpu.error().text;
  EXPECT_GT(*cpu, 0);
  std::ifstream in(path);
  std::string text, line;
  int lines = 0;
  for (; std::getline(in, line); ++lines) text += line;
  EXPECT_EQ(lines, 30);
  for (const char* kind : {"container_ended", "launch", "container_started"})
    EXPECT_THAT(text, HasSubstr(kind));
  EXPECT_FALSE(journal_cpu_s(path, 10));  // the file exists
  ::unlink(path.c_str());
}

TEST(LaunchCosts, CpuOfAProcess) {
  Result<double> own = cpu_s_of(::getpid());
  ASSERT_TRUE(own) << own.error().text;
  EXPECT_GT(*own, 0);
  EXPECT_LE(*own, own_cpu_s() + 0.1);
  Result<double> none = cpu_s_of(1 << 22);  // above the largest process id
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("measure the CPU time of process 4194304: "));
}

}  // namespace heddle::bench::launch_costs_test
