#include "common/wire/values.h"

#include <gtest/gtest.h>

namespace heddle::wire {
namespace {

TEST(Percentile, IsTheNearestRank) {
  EXPECT_TRUE(percentile({}, 0.5).is_null());
  EXPECT_EQ(percentile({7}, 0.99), 7.0);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2.0);
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_EQ(percentile(hundred, 0.99), 99.0);
  EXPECT_EQ(percentile(hundred, 1), 100.0);
}

}  // namespace
}  // namespace heddle::wire
