#include "master/container_times.h"

#include <gtest/gtest.h>

namespace heddle::master {
namespace {

constexpr ContainerId kOne{1}, kTwo{2};
const real::Time kDecided{std::chrono::seconds(3)};

TEST(ContainerTimes, ALaunchIsTakenOnce) {
  ContainerTimes times;
  times.launched(kOne, kDecided, emu_seconds(10));
  EXPECT_EQ(times.take_launch(kTwo), std::nullopt);
  EXPECT_EQ(times.take_launch(kOne), kDecided);
  EXPECT_EQ(times.take_launch(kOne), std::nullopt);
}

TEST(ContainerTimes, TheNewestIsTheLaunchOrWhatWasHeardLast) {
  ContainerTimes times;
  times.heard(kOne, emu_seconds(11));  // nobody launched it
  EXPECT_EQ(times.newest(kOne), std::nullopt);
  times.launched(kOne, kDecided, emu_seconds(10));
  EXPECT_EQ(times.newest(kOne), emu_seconds(10));
  times.heard(kOne, emu_seconds(12));
  times.heard(kOne, emu_seconds(11));  // it was overtaken
  EXPECT_EQ(times.newest(kOne), emu_seconds(12));
}

TEST(ContainerTimes, OfAContainerThatEndedNothingIsKept) {
  ContainerTimes times;
  for (ContainerId id : {kOne, kTwo}) {
    times.launched(id, kDecided, emu_seconds(10));
    times.suspended(id, kDecided);
  }
  times.ended(kOne);
  EXPECT_EQ(times.newest(kOne), std::nullopt);
  EXPECT_EQ(times.take_launch(kOne), std::nullopt);
  EXPECT_EQ(times.suspension(kOne), std::nullopt);
  EXPECT_EQ(times.suspension(kTwo), kDecided);
  EXPECT_EQ(times.take_suspension(kTwo), kDecided);
  EXPECT_EQ(times.suspension(kTwo), std::nullopt);
}

TEST(ContainerTimes, DecisionsOfAFormerLifeAreDroppedButNotWhatWasHeard) {
  ContainerTimes times;
  times.launched(kOne, kDecided, emu_seconds(10));
  times.suspended(kOne, kDecided);
  times.forget_decisions();
  EXPECT_EQ(times.take_launch(kOne), std::nullopt);
  EXPECT_EQ(times.suspension(kOne), std::nullopt);
  EXPECT_EQ(times.newest(kOne), emu_seconds(10));
}

}  // namespace
}  // namespace heddle::master
