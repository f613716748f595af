#include "core/policy/locality/shrink.h"

#include <gtest/gtest.h>

namespace heddle::shrink_test {

constexpr std::int64_t kGib = 1LL << 30;
Resources of(int millicores, double gib) {
  return {Millicores(millicores), EmuBytes(static_cast<std::int64_t>(gib * kGib))};
}

// Algorithm 3 with 8 cores and 8 GiB free and maps of 4 cores and 2 GiB. The third argument is mu
// D.
TEST(Shrunk, AsManyAsStillGetEnough) {
  const Resources free = of(8000, 8), wanted = of(4000, 2);
  EXPECT_EQ(shrunk(free, wanted, of(4000, 2), 5), Portion({wanted, 2}));  // mu = 1: two, in full
  EXPECT_EQ(shrunk(free, wanted, of(2000, 1), 5),
            Portion({of(2000, 2), 4}));  // four of five; memory for four
  EXPECT_EQ(shrunk(free, wanted, of(2000, 1), 3), Portion({of(2666, 2), 3}));
  EXPECT_EQ(shrunk(free, wanted, of(2000, 1), 1), Portion({wanted, 1}));  // no more than requested
  EXPECT_EQ(shrunk(free, wanted, of(3200, 1.6), 2), Portion({wanted, 2}));
}

TEST(Shrunk, EitherResourceBounds) {
  EXPECT_EQ(shrunk(of(8000, 3), of(4000, 2), of(2000, 1), 5), Portion({of(2666, 1), 3}));
  EXPECT_EQ(shrunk(of(3000, 8), of(4000, 2), of(2000, 1), 5), Portion({of(3000, 2), 1}));
}

// With mu = 1/2, each of two maps gets half of 2 cores, and the GiB that it requests.
TEST(Shrunk, TwoInTheCoresOfOne) {
  EXPECT_EQ(shrunk(of(2000, 4), of(2000, 1), of(1000, 0.5), 2), Portion({of(1000, 1), 2}));
}

TEST(Shrunk, NoneWhereNotEvenOneGetsEnough) {
  EXPECT_EQ(shrunk(of(1999, 8), of(4000, 2), of(2000, 1), 5), std::nullopt);
  EXPECT_EQ(shrunk(of(8000, 0.9), of(4000, 2), of(2000, 1), 5), std::nullopt);
  EXPECT_EQ(shrunk(of(8000, 8), of(4000, 2), of(2000, 1), 0), std::nullopt);
}

TEST(Shrunk, InWords) {
  EXPECT_EQ(shrunk_in_words(of(4000, 2), of(2666, 2)), "shrunk to 67 % of its cores");
  EXPECT_EQ(shrunk_in_words(of(4000, 2), of(4000, 1)), "shrunk to 50 % of its memory");
  EXPECT_EQ(shrunk_in_words(of(4000, 2), of(3000, 1)),
            "shrunk to 75 % of its cores and 50 % of its memory");
}

}  // namespace heddle::shrink_test
