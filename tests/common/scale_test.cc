#include "common/scale.h"

#include <gtest/gtest.h>

namespace heddle::scale_test {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Scale kScale = {0.1, 0.05, 1.0 / 64, 1.0 / 64};

TEST(Scale, Time) {
  EXPECT_EQ(kScale.to_real(emu_seconds(20)), seconds(2));
  EXPECT_EQ(kScale.to_emulated(milliseconds(150)), emu_seconds(1.5));
  EXPECT_EQ(kScale.to_real(EmuTime(-10)), std::chrono::microseconds(-1));
}

TEST(Scale, EndlessTimesStillFitAClock) {
  const Scale slow{1000, 1, 1, 1};
  const real::Duration longest = slow.to_real(emu_seconds(10000.0 * 3600));
  EXPECT_GT(longest, std::chrono::hours(24 * 365 * 100));
  EXPECT_GT(longest, real::Duration(0));
  EXPECT_EQ(longest, slow.to_real(emu_seconds(20000.0 * 3600)));
}

TEST(Scale, CoresDependOnTheNodesSpeed) {
  EXPECT_DOUBLE_EQ(kScale.to_real(Millicores(4000), 1.0).value, 0.2);
  EXPECT_DOUBLE_EQ(kScale.to_real(Millicores(4000), 0.5).value, 0.1);
}

TEST(Scale, WorkIsRealCpuTimeWhateverTheSpeed) {
  // 20 core-seconds, at 0.05 CPU per core and 0.1 s per second, are 100 ms of CPU.
  EXPECT_EQ(kScale.cpu_to_real(core_seconds(20)), milliseconds(100));
  EXPECT_EQ(kScale.cpu_to_emulated(milliseconds(100)), core_seconds(20));
}

TEST(Scale, Memory) {
  EXPECT_EQ(kScale.to_real(EmuBytes(1LL << 30)), real::Bytes(16 << 20));
  EXPECT_EQ(kScale.to_emulated(real::Bytes(16 << 20)), EmuBytes(1LL << 30));
}

TEST(Scale, Data) {
  const Scale scale{0.1, 0.05, 1.0 / 64, 1.0 / 100};
  EXPECT_EQ(scale.data_to_real(EmuBytes(12'800)), real::Bytes(128));
  EXPECT_EQ(scale.data_to_real(EmuBytes(150)), real::Bytes(2));
  // 200 MB per emulated second are 2 MB in a tenth of a real second.
  EXPECT_DOUBLE_EQ(scale.data_rate_to_real(200e6), 20e6);
}

TEST(Scale, RoundsToTheNearest) {
  EXPECT_EQ(Scale{}.to_emulated(real::Duration(1499)), EmuTime(1));
  EXPECT_EQ(Scale{}.to_emulated(real::Duration(1500)), EmuTime(2));
  EXPECT_EQ(kScale.to_real(EmuBytes(96)), real::Bytes(2));  // 1.5
}

TEST(Units, SecondsAreMicroseconds) {
  EXPECT_EQ(emu_seconds(1.5), EmuTime(1500000));
  EXPECT_EQ(emu_seconds(-0.0000015), EmuTime(-2));
  EXPECT_DOUBLE_EQ(to_seconds(EmuTime(2500000)), 2.5);
  EXPECT_EQ(core_seconds(0.25), CoreTime(250000));
  EXPECT_DOUBLE_EQ(to_core_seconds(CoreTime(250000)), 0.25);
}

}  // namespace heddle::scale_test
