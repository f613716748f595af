#include "worker/peak.h"

#include <gtest/gtest.h>

namespace heddle::worker::peak_test {

constexpr real::Bytes kMiB(1 << 20);

TEST(Peak, IsTheKernelsWithoutPageCache) {
  EXPECT_EQ(peak_of({.kernel = 40 * kMiB, .largest = 30 * kMiB, .sampled = true}),
            (Peak{40 * kMiB, PeakMethod::kKernel}));
  // A line of output is page cache, too.
  EXPECT_EQ(peak_of({.kernel = 40 * kMiB, .largest = 30 * kMiB, .cache = kMiB, .sampled = true}),
            (Peak{39 * kMiB, PeakMethod::kKernel}));
}

TEST(Peak, IsTheLargestSampleWithPageCache) {
  EXPECT_EQ(peak_of({.kernel = 64 * kMiB,
                     .largest = 3 * kMiB,
                     .cache = kMiB + real::Bytes(1),
                     .sampled = true}),
            (Peak{3 * kMiB, PeakMethod::kSamples}));
}

TEST(Peak, OfAnEndBeforeTheFirstSampleIsTheKernelsLessTheCacheThatIsLeft) {
  EXPECT_EQ(peak_of({.kernel = 20 * kMiB, .cache = 17 * kMiB}),
            (Peak{3 * kMiB, PeakMethod::kKernel}));
}

TEST(Peak, IsTheLargestSampleWhereTheKernelCountsNone) {
  EXPECT_EQ(peak_of({.kernel = real::Bytes(0), .largest = 5 * kMiB, .sampled = true}),
            (Peak{5 * kMiB, PeakMethod::kSamples}));
}

TEST(Peak, IsNeverBelowASample) {
  EXPECT_EQ(peak_of({.kernel = 5 * kMiB, .largest = 6 * kMiB, .sampled = true}),
            (Peak{6 * kMiB, PeakMethod::kKernel}));
}

TEST(Peak, IsTheLimitIfTheKernelKilledForIt) {
  EXPECT_EQ(peak_of({.kernel = 64 * kMiB,
                     .largest = 30 * kMiB,
                     .cache = 40 * kMiB,
                     .sampled = true,
                     .limit = 65 * kMiB}),
            (Peak{65 * kMiB, PeakMethod::kLimit}));
}

}  // namespace heddle::worker::peak_test
