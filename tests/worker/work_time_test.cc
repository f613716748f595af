#include "worker/work_time.h"

#include <gtest/gtest.h>

namespace heddle::worker::work_time_test {

using std::chrono::milliseconds;

/// An emulated second takes 0.1 s.
constexpr Scale kScale{0.1, 0.05, 1.0 / 64, 0.25};

real::Time at(int ms) { return real::Time(milliseconds(ms)); }

std::optional<WorkTime> time_of(const PartTimes& part, double ideal = 2, int noticed = 500) {
  return work_time(part, emu_seconds(ideal), at(noticed), kScale);
}

TEST(WorkTimeOf, FromTheBeginningOfThePartToTheEndThatTheTaskNames) {
  EXPECT_EQ(time_of({at(100), at(301), false}), (WorkTime{emu_seconds(2), emu_seconds(2.01)}));
}

TEST(WorkTimeOf, TheEndIsNotAfterTheWorkerNoticedIt) {
  EXPECT_EQ(time_of({at(100), at(900), false}), (WorkTime{emu_seconds(2), emu_seconds(4)}));
  EXPECT_EQ(time_of({at(100), at(0), false}), (WorkTime{emu_seconds(2), emu_seconds(0)}));
}

TEST(WorkTimeOf, SomePartsAreNotCompared) {
  EXPECT_EQ(time_of({at(100), at(301), true}), std::nullopt) << "disturbed";
  EXPECT_EQ(time_of({at(100), std::nullopt, false}), std::nullopt) << "not done";
  EXPECT_EQ(time_of({at(100), at(301), false}, 0), std::nullopt) << "no work";
}

}  // namespace heddle::worker::work_time_test
