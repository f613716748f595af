#include "worker/load_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::worker::load_work_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr EmuBytes kGiB{1LL << 30};
constexpr EmuTime kYear = emu_seconds(365 * 86400);
const Scale kScale{0.1, 0.05, 1.0 / 64, 1.0 / 64};

TEST(LoadWork, BurnsInAsManyThreadsAsItsCoresFill) {
  EXPECT_EQ(load_work({Millicores(1), EmuBytes(0)}, kScale).threads, 1);
  EXPECT_EQ(load_work({Millicores(2000), EmuBytes(0)}, kScale).threads, 2);
  EXPECT_EQ(load_work({Millicores(2001), EmuBytes(0)}, kScale).threads, 3);
  EXPECT_EQ(load_work({Millicores(1'000'000), EmuBytes(0)}, kScale).threads, 256);
}

TEST(LoadWork, FillsItsMemoryBeforeItBurns) {
  TaskWork work = load_work({Millicores(1500), kGiB * 2}, kScale);
  EXPECT_THAT(work.memory, ElementsAre(MemoryPoint{0, kGiB * 2}));
  // Filling 32 MiB real at 1 GB/s takes 33.6 ms, which is ten times as long in emulated time.
  EXPECT_EQ(work.sleep, EmuTime(335544));
  EXPECT_GT(work.cpu, core_seconds(5e8));
  EXPECT_THAT(load_work({Millicores(1500), EmuBytes(0)}, kScale).memory, IsEmpty());
}

TEST(LoadWork, WithoutCoresItOnlyHolds) {
  TaskWork work = load_work({Millicores(0), kGiB}, kScale);
  EXPECT_EQ(work.cpu, CoreTime(0));
  EXPECT_GT(work.sleep, kYear);
}

}  // namespace heddle::worker::load_work_test
