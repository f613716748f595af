#include "worker/load_work.h"

#include "tests/support/matchers.h"

namespace heddle::worker::load_work_test {

constexpr EmuBytes kGiB{1LL << 30};
constexpr EmuTime kYear = emu_seconds(365 * 86400);

TEST(LoadWork, BurnsInAsManyThreadsAsItsCoresFill) {
  EXPECT_EQ(load_work({Millicores(1), EmuBytes(0)}).threads, 1);
  EXPECT_EQ(load_work({Millicores(2000), EmuBytes(0)}).threads, 2);
  EXPECT_EQ(load_work({Millicores(2001), EmuBytes(0)}).threads, 3);
  EXPECT_EQ(load_work({Millicores(1'000'000), EmuBytes(0)}).threads, 256);
}

TEST(LoadWork, HoldsItsMemoryAllTheTime) {
  TaskWork work = load_work({Millicores(1500), kGiB * 2});
  EXPECT_THAT(work.memory, ElementsAre(MemoryPoint{0, kGiB * 2}));
  EXPECT_EQ(work.sleep, EmuTime(0));
  EXPECT_GT(work.cpu, core_seconds(5e8));
  EXPECT_THAT(load_work({Millicores(1500), EmuBytes(0)}).memory, IsEmpty());
}

TEST(LoadWork, WithoutCoresItOnlyHolds) {
  TaskWork work = load_work({Millicores(0), kGiB});
  EXPECT_EQ(work.cpu, CoreTime(0));
  EXPECT_GT(work.sleep, kYear);
}

}  // namespace heddle::worker::load_work_test
