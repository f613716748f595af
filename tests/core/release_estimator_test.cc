#include "core/model/release_estimator.h"

#include <cmath>

#include "tests/support/matchers.h"

namespace heddle::release_estimator_test {

using ::testing::DoubleNear;

EmuTime at(double seconds) { return emu_seconds(seconds); }

// Job 1 has ten tasks of size 9, job 2 ten of size 18. Each starts one task per second, so dps = 9
// s, and G grows by 10 (20) per second from the first end on.
TEST(ReleaseEstimator, SumsByGroupAndSettlesItsForecasts) {
  ReleaseEstimator estimator(PhaseOptions{}, 2);
  for (std::int64_t id : {1, 2}) {
    estimator.add(JobId{id}, static_cast<int>(id) - 1);
    estimator.asked(JobId{id}, 10);
    for (int i = 0; i < 10; ++i)
      estimator.started(JobId{id}, at(i), ContainerId{100 * id + i}, 9 * id);
  }
  estimator.forecast(at(50), at(2));
  EXPECT_THAT(estimator.expected(), ElementsAre(0, 0));
  for (int i = 0; i < 5; ++i) estimator.ended(JobId{1}, at(100 + i), ContainerId{100 + i});
  for (int i = 0; i < 5; ++i) estimator.ended(JobId{2}, at(102 + i), ContainerId{200 + i});

  // Nothing was expected until 52 s, and nothing was released.
  const std::vector<Forecast> first = estimator.settle(at(106));
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_EQ(first[0].made, at(50));
  EXPECT_EQ(first[0].until, at(52));
  EXPECT_TRUE(first[0].empty());

  estimator.forecast(at(106), at(2));
  EXPECT_THAT(estimator.expected(), ElementsAre(20, 40));
  estimator.ended(JobId{1}, at(107), ContainerId{105});
  estimator.ended(JobId{2}, at(107), ContainerId{205});
  EXPECT_THAT(estimator.settle(at(107.5)), IsEmpty());
  estimator.ended(JobId{2}, at(108), ContainerId{206});
  estimator.ended(JobId{2}, at(108.001), ContainerId{207});
  const std::vector<Forecast> second = estimator.settle(at(109));
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_THAT(second[0].predicted, ElementsAre(20, 40));
  EXPECT_THAT(second[0].actual, ElementsAre(9, 36));
  EXPECT_THAT(estimator.settle(at(110)), IsEmpty());
}

// Releases come at 3, 6 and 7 s. Forecasts are for (0, 5], (1, 6], (2, 7] and (3, 8].
TEST(ReleaseEstimator, HorizonsMayOverlap) {
  ReleaseEstimator estimator(PhaseOptions{}, 1);
  estimator.add(JobId{0}, 0);
  estimator.asked(JobId{0}, 4);
  for (int i = 0; i < 4; ++i) estimator.started(JobId{0}, at(0), ContainerId{i}, 1);
  for (double t : {0, 1, 2}) estimator.forecast(at(t), at(5));
  estimator.ended(JobId{0}, at(3), ContainerId{0});
  estimator.forecast(at(3), at(5));
  estimator.ended(JobId{0}, at(6), ContainerId{1});
  std::vector<Forecast> settled = estimator.settle(at(6));
  ASSERT_THAT(settled, SizeIs(2));
  EXPECT_THAT(settled[0].actual, ElementsAre(1));
  EXPECT_THAT(settled[1].actual, ElementsAre(2));
  estimator.ended(JobId{0}, at(7), ContainerId{2});
  settled = estimator.settle(at(20));
  ASSERT_THAT(settled, SizeIs(2));
  EXPECT_THAT(settled[0].actual, ElementsAre(3));
  EXPECT_THAT(settled[1].actual, ElementsAre(2));
}

// The run ends before the horizon does.
TEST(ReleaseEstimator, TheLastForecastIsSettledWithTheLastJob) {
  ReleaseEstimator estimator(PhaseOptions{}, 1);
  estimator.add(JobId{0}, 0);
  estimator.asked(JobId{0}, 1);
  estimator.started(JobId{0}, at(0), ContainerId{0}, 7);
  estimator.forecast(at(4), at(10));
  estimator.ended(JobId{0}, at(5), ContainerId{0});
  EXPECT_THAT(estimator.settle(at(5)), IsEmpty());
  estimator.remove(JobId{0});
  EXPECT_EQ(estimator.job(JobId{0}), nullptr);
  const std::vector<Forecast> settled = estimator.settle(at(5));
  ASSERT_THAT(settled, SizeIs(1));
  EXPECT_THAT(settled[0].actual, ElementsAre(7));
  estimator.forecast(at(6), at(10));
  EXPECT_THAT(estimator.expected(), ElementsAre(0));
}

TEST(ReleaseEstimator, WithoutAHorizonNothingIsExpectedOrSettled) {
  ReleaseEstimator estimator(PhaseOptions{}, 1);
  estimator.add(JobId{0}, 0);
  estimator.asked(JobId{0}, 2);
  for (int i = 0; i < 2; ++i) estimator.started(JobId{0}, at(4 * i), ContainerId{i}, 5);
  estimator.ended(JobId{0}, at(20), ContainerId{0});
  estimator.forecast(at(20), at(0));
  EXPECT_THAT(estimator.expected(), ElementsAre(0));
  EXPECT_THAT(estimator.settle(at(30)), IsEmpty());
}

TEST(ForecastError, SumsOverGroupsAndHorizonsInWhichAnythingIs) {
  ForecastError error;
  EXPECT_EQ(error.mean_absolute(), 0);
  EXPECT_EQ(error.root_mean_square(), 0);
  error.add({at(0), at(1), {0, 0}, {0, 0}});
  EXPECT_EQ(error.horizons, 0);
  error.add({at(1), at(2), {0, 3}, {1, 2}});
  error.add({at(2), at(3), {2, 2.5}, {2, 4.5}});
  EXPECT_EQ(error.horizons, 2);
  EXPECT_EQ(error.predicted, 7.5);
  EXPECT_EQ(error.actual, 9.5);
  // The errors are 1, 1, 0 and 2.
  EXPECT_EQ(error.mean_absolute(), 1);
  EXPECT_THAT(error.root_mean_square(), DoubleNear(std::sqrt(6.0 / 4), 1e-12));
}

}  // namespace heddle::release_estimator_test
