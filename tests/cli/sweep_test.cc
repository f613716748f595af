#include "cli/sweep.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using std::string_literals::operator""s;

TEST(RunInCommandLine, OfControlProcessesOnly) {
  EXPECT_EQ(run_in_command_line("/opt/heddle-worker\0--run\0abc\0--node\0n1\0"s), "abc");
  EXPECT_EQ(run_in_command_line("heddle-master\0s.yaml\0--run\0r-7\0"s), "r-7");
  EXPECT_EQ(run_in_command_line("heddle-worker\0--run\0"s), std::nullopt);
  EXPECT_EQ(run_in_command_line("heddle-worker\0"s), std::nullopt);
  EXPECT_EQ(run_in_command_line("vim\0--run\0abc\0"s), std::nullopt);
  EXPECT_EQ(run_in_command_line(""), std::nullopt);
}

}  // namespace
}  // namespace heddle
