#include "common/proc_files.h"

#include <gtest/gtest.h>

namespace heddle::proc_files_test {

TEST(ProcFiles, Meminfo) {
  EXPECT_EQ(meminfo_bytes("MemTotal:  2 kB\nSwapTotal: 3 kB\n", "SwapTotal"), 3072);
  EXPECT_EQ(meminfo_bytes("MemTotal:  2 kB\nMemAvailable:    5 kB\n", "MemAvailable"), 5120);
  EXPECT_EQ(meminfo_bytes("MemTotal:  2 kB\n", "SwapTotal"), std::nullopt);
  EXPECT_EQ(meminfo_bytes("MemTotal:  2 kB\n", "Mem"), std::nullopt);
  EXPECT_EQ(meminfo_bytes("MemTotal: x kB", "MemTotal"), std::nullopt);
  EXPECT_EQ(meminfo_bytes("", "MemTotal"), std::nullopt);
  EXPECT_EQ(meminfo_bytes("MemTotal: 9007199254740992 kB", "MemTotal"), std::nullopt);
}

// The fields are user nice system idle iowait irq softirq steal guest guest_nice. All count except
// idle and iowait (4000 and 50); guest and guest_nice are contained in user and nice.
TEST(ProcFiles, BusyTime) {
  EXPECT_EQ(busy_time("cpu  100 20 30 4000 50 6 5 4 7 8\ncpu0 1 1 1 1 1 1 1 1 1 1\n", 100),
            std::chrono::milliseconds(1650));
  EXPECT_EQ(busy_time("cpu  1 0 0 0 0 0 0 0\n", 250), std::chrono::milliseconds(4));
  EXPECT_EQ(busy_time("cpu  1 0 0 0 0 0 0\n", 100), std::nullopt);
  EXPECT_EQ(busy_time("cpu0 1 1 1 1 1 1 1 1 1 1\n", 100), std::nullopt);
  EXPECT_EQ(busy_time("", 100), std::nullopt);
  EXPECT_EQ(busy_time("cpu  9223372036854775807 1 0 0 0 0 0 0\n", 100), std::nullopt);
  EXPECT_EQ(busy_time("cpu  9223372036854775 0 0 0 0 0 0 0\n", 100), std::nullopt);
}

TEST(ProcFiles, TheHostUsesSome) {
  Result<HostUse> use = host_use();
  ASSERT_TRUE(use) << use.error().text;
  EXPECT_GT(use->busy, real::Duration(0));
  EXPECT_GT(use->memory, real::Bytes(0));
}

}  // namespace heddle::proc_files_test
