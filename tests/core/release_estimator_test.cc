#include "core/model/release_estimator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

EmuTime at(double seconds) { return emu_seconds(seconds); }

TEST(ReleaseEstimator, SumsByGroupAndSettlesWhatItSaid) {
  ReleaseEstimator estimator(PhaseOptions{}, 2);
  for (std::int64_t id : {1, 2}) {
    estimator.add(JobId{id}, static_cast<int>(id) - 1);
    estimator.asked(JobId{id}, 10);
    for (int i = 0; i < 10; ++i) estimator.started(JobId{id}, at(i), ContainerId{100 * id + i}, id);
  }
  EXPECT_EQ(estimator.forecast(at(50), at(2)), std::nullopt);
  for (int i = 0; i < 5; ++i) estimator.ended(JobId{1}, at(100 + i), ContainerId{100 + i});
  for (int i = 0; i < 5; ++i) estimator.ended(JobId{2}, at(102 + i), ContainerId{200 + i});

  // Nothing was expected at 50 s; by 106 s, five tasks of one unit and five of two were released.
  std::optional<Forecast> first = estimator.forecast(at(106), at(2));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->made, at(50));
  EXPECT_EQ(first->until, at(52));
  EXPECT_THAT(first->predicted, ElementsAre(0, 0));
  EXPECT_THAT(first->actual, ElementsAre(5, 10));

  // 10 units over 9 s from 100 s on, and 20 units over 9 s from 102 s on, for 2 s each.
  EXPECT_THAT(estimator.expected(),
              ElementsAre(DoubleNear(20.0 / 9, 1e-9), DoubleNear(40.0 / 9, 1e-9)));
  estimator.ended(JobId{1}, at(107), ContainerId{105});
  estimator.ended(JobId{2}, at(107), ContainerId{205});
  estimator.ended(JobId{2}, at(108), ContainerId{206});
  std::optional<Forecast> second = estimator.forecast(at(108), at(2));
  ASSERT_TRUE(second);
  EXPECT_THAT(second->actual, ElementsAre(1, 4));

  const ForecastError& error = estimator.error();
  EXPECT_EQ(error.horizons, 2);
  EXPECT_EQ(error.actual, 20);
  EXPECT_THAT(error.predicted, DoubleNear(60.0 / 9, 1e-9));
  // Off by 5, 10, 20/9 - 1 and 40/9 - 4.
  EXPECT_THAT(error.mean_absolute(), DoubleNear((15 + 11.0 / 9 + 4.0 / 9) / 4, 1e-9));
  EXPECT_THAT(error.root_mean_square(),
              DoubleNear(std::sqrt((125 + 121.0 / 81 + 16.0 / 81) / 4), 1e-9));
}

TEST(ReleaseEstimator, HorizonsInWhichNothingIsDontCount) {
  ReleaseEstimator estimator(PhaseOptions{}, 1);
  for (double t : {0, 1, 2}) estimator.forecast(at(t), at(1));
  EXPECT_EQ(estimator.error().horizons, 0);
  EXPECT_EQ(estimator.error().mean_absolute(), 0);
  EXPECT_EQ(estimator.error().root_mean_square(), 0);
}

TEST(ReleaseEstimator, ForgetsAJobThatIsOver) {
  ReleaseEstimator estimator(PhaseOptions{}, 1);
  estimator.add(JobId{0}, 0);
  estimator.asked(JobId{0}, 1);
  estimator.started(JobId{0}, at(0), ContainerId{0}, 1);
  estimator.ended(JobId{0}, at(5), ContainerId{0});
  estimator.remove(JobId{0});
  EXPECT_EQ(estimator.job(JobId{0}), nullptr);
  estimator.forecast(at(6), at(1));
  EXPECT_THAT(estimator.expected(), ElementsAre(0));
}

}  // namespace
}  // namespace heddle
