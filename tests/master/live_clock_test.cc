#include "master/live_clock.h"

#include <gtest/gtest.h>

#include "tests/master/small_run.h"
#include "tests/support/clock.h"

namespace heddle::master {
namespace {

using namespace std::chrono_literals;

/// An emulated second lasts a tenth of a real one.
const Scale kTenth = small_run(1).scale();

TEST(LiveClock, StandsStillUntilItIsStarted) {
  LiveClock clock(kTenth);
  EXPECT_EQ(clock.emulated(at(9s)), EmuTime(0));
  clock.start(at(10s));
  EXPECT_EQ(clock.emulated(at(10s)), EmuTime(0));
  EXPECT_EQ(clock.emulated(at(10500ms)), emu_seconds(5));
  EXPECT_EQ(clock.real(emu_seconds(5)), at(10500ms));
  clock.start(at(20s));  // already running
  EXPECT_EQ(clock.emulated(at(10500ms)), emu_seconds(5));
}

TEST(LiveClock, NeverGoesBackBehindAStep) {
  LiveClock clock(kTenth);
  clock.start(at(1s));
  clock.step(at(1500ms));
  EXPECT_EQ(clock.now(), emu_seconds(5));
  EXPECT_EQ(clock.emulated(at(1200ms)), emu_seconds(5));
  EXPECT_EQ(clock.since_start(at(1200ms)), emu_seconds(2));
}

TEST(LiveClock, GoesOnWhereAFormerLifeEnded) {
  LiveClock clock(kTenth);
  clock.recover(emu_seconds(20));
  EXPECT_EQ(clock.emulated(at(3s)), emu_seconds(20));
  clock.start_resumed(at(3s));
  EXPECT_EQ(clock.resumed_at(), emu_seconds(20));
  EXPECT_EQ(clock.emulated(at(3100ms)), emu_seconds(21));
  EXPECT_EQ(clock.real(emu_seconds(21)), at(3100ms));
}

}  // namespace
}  // namespace heddle::master
