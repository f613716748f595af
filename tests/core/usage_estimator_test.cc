#include "core/model/usage_estimator.h"

#include <gtest/gtest.h>

namespace heddle::usage_estimator_test {

constexpr std::int64_t kGiB = 1LL << 30;
constexpr ContainerId kA{1}, kB{2};

/// Returns resources from cores and GiB.
Resources of(double cores, double gib) {
  return {Millicores(static_cast<std::int64_t>(cores * 1000)),
          EmuBytes(static_cast<std::int64_t>(gib * kGiB))};
}
/// Returns a use in which the containers have `cores` and `gib`, and the node has more by the other
/// two.
NodeUse use(double cores, double gib, double more_cores = 0, double more_gib = 0) {
  return {of(cores, gib), of(cores + more_cores, gib + more_gib)};
}
#define EXPECT_ESTIMATE(estimate, c, gib)             \
  do {                                                \
    EXPECT_NEAR((estimate).cores, c, 1e-9);           \
    EXPECT_NEAR((estimate).memory / kGiB, gib, 1e-9); \
  } while (false)

// Equation 1 with a = 1/2: the request is 2 cores and 4 GiB, of which 1 and 1 are used.
TEST(UsageEstimator, ARequestFadesTowardsWhatIsUsed) {
  UsageEstimator estimator({0.5, 0.5});
  estimator.allocated(kA, of(2, 4));
  EXPECT_ESTIMATE(estimator.estimate().containers, 2, 4);  // equation 2: at once
  estimator.heartbeat(use(1, 1));
  EXPECT_ESTIMATE(estimator.estimate().containers, 1.5, 2.5);
  estimator.heartbeat(use(1, 1));
  EXPECT_ESTIMATE(estimator.estimate().containers, 1.25, 1.75);
  estimator.heartbeat(use(1, 1));
  EXPECT_ESTIMATE(estimator.estimate().containers, 1.125, 1.375);
}

// Equation 3: the estimate is never below the last measurement.
TEST(UsageEstimator, RisesWithUseAtOnce) {
  UsageEstimator estimator({0.5, 0.5});
  estimator.allocated(kA, of(1, 1));
  estimator.heartbeat(use(0.5, 3));  // memory: (1 + 3) / 2 = 2 is less than 3
  EXPECT_ESTIMATE(estimator.estimate().containers, 0.75, 3);
  estimator.heartbeat(use(0.5, 1));
  EXPECT_ESTIMATE(estimator.estimate().containers, 0.625, 2);
}

// Equation 4: two heartbeats after the allocation, the estimate still contains a quarter of the
// request. That part is removed at the next heartbeat, before equation 1, and not earlier.
TEST(UsageEstimator, AnEndedTaskTakesItsShareOfTheRequestAlong) {
  UsageEstimator estimator({0.5, 0.5});
  estimator.allocated(kA, of(2, 8));
  estimator.heartbeat(use(1, 2));
  estimator.heartbeat(use(1, 2));
  EXPECT_ESTIMATE(estimator.estimate().containers, 1.25, 3.5);
  estimator.ended(kA);
  EXPECT_ESTIMATE(estimator.estimate().containers, 1.25, 3.5);
  // (1.25 - 2/4) / 2 and (3.5 - 8/4) / 2: the measured part fades by equation 1 alone.
  estimator.heartbeat(use(0, 0));
  EXPECT_ESTIMATE(estimator.estimate().containers, 0.375, 0.75);
}

TEST(UsageEstimator, ATaskThatEndsBeforeAHeartbeatTakesAllOfIt) {
  UsageEstimator estimator({0.125, 0.125});
  estimator.allocated(kA, of(2, 8));
  estimator.ended(kA);
  estimator.heartbeat(use(0, 0));
  EXPECT_ESTIMATE(estimator.estimate().containers, 0, 0);
}

TEST(UsageEstimator, NeverBelowZero) {
  UsageEstimator estimator({0.5, 0.5});
  estimator.allocated(kA, of(1, 1));
  estimator.heartbeat(use(0, 0));  // 0.5
  estimator.allocated(kB, of(1, 1));
  estimator.ended(kA);
  estimator.ended(kB);  // 0.5 + 1 of 1.5
  estimator.heartbeat(use(0, 0));
  EXPECT_ESTIMATE(estimator.estimate().containers, 0, 0);
}

// The node's estimate: its system and external load are measured, not requested.
TEST(UsageEstimator, TheNodeHasAnEstimateOfItsOwn) {
  UsageEstimator estimator({0.5, 0.5});
  estimator.heartbeat(use(0, 0, 3, 6));
  EXPECT_ESTIMATE(estimator.estimate().containers, 0, 0);
  EXPECT_ESTIMATE(estimator.estimate().node, 3, 6);
  estimator.allocated(kA, of(1, 2));
  EXPECT_ESTIMATE(estimator.estimate().node, 4, 8);
  estimator.heartbeat(use(0, 0, 1, 2));
  EXPECT_ESTIMATE(estimator.estimate().containers, 0.5, 1);
  EXPECT_ESTIMATE(estimator.estimate().node, 2.5, 5);
}

// With a = 1, the estimate is the last measurement, whatever was requested.
TEST(UsageEstimator, DampingOneFollowsTheLastMeasurement) {
  UsageEstimator estimator({1, 1});
  estimator.allocated(kA, of(4, 8));
  estimator.heartbeat(use(1, 1));
  EXPECT_ESTIMATE(estimator.estimate().containers, 1, 1);
  estimator.ended(kA);
  estimator.heartbeat(use(0, 0));
  EXPECT_ESTIMATE(estimator.estimate().containers, 0, 0);
}

TEST(UsageEstimator, ResourcesMayDifferInDamping) {
  UsageEstimator estimator({1, 0.25});
  estimator.allocated(kA, of(4, 8));
  estimator.heartbeat(use(1, 4));
  EXPECT_ESTIMATE(estimator.estimate().containers, 1, 7);
}

// On suspension, the CPU part is removed as on an end; on resume, it is added as on an allocation.
// Memory stays.
TEST(UsageEstimator, SuspendedCpuGoesAndComesBack) {
  UsageEstimator estimator({0.5, 0.5});
  estimator.allocated(kA, of(2, 4));
  estimator.heartbeat(use(2, 4));
  estimator.suspended(kA);
  estimator.heartbeat(use(0, 4));  // (2 - 1) / 2
  EXPECT_ESTIMATE(estimator.estimate().containers, 0.5, 4);
  estimator.resumed(kA);
  EXPECT_ESTIMATE(estimator.estimate().containers, 2.5, 4);
  estimator.heartbeat(use(2, 4));
  EXPECT_ESTIMATE(estimator.estimate().containers, 2.25, 4);
  estimator.ended(kA);  // one heartbeat of cores since, three of memory
  estimator.heartbeat(use(0, 0));
  EXPECT_ESTIMATE(estimator.estimate().containers, 0.625, 1.75);
}

TEST(UsageEstimator, EndedWhileSuspendedGivesItsCpuOnce) {
  UsageEstimator estimator({0.5, 0.5});
  estimator.allocated(kA, of(2, 4));
  estimator.allocated(kB, of(2, 4));
  estimator.suspended(kA);
  estimator.ended(kA);
  estimator.heartbeat(use(2, 4));
  EXPECT_ESTIMATE(estimator.estimate().containers, 2, 4);
}

}  // namespace heddle::usage_estimator_test
