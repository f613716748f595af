#include "report/comparison/samples.h"

#include "tests/support/matchers.h"

namespace heddle::report::samples_test {

Samples of(std::initializer_list<double> values) {
  Samples samples;
  for (const double value : values) samples.push_back({value});
  return samples;
}

TEST(Samples, MeanAndMedian) {
  EXPECT_EQ(mean_of_samples(of({4, 1, 1})), 2);
  EXPECT_EQ(median_of_samples(of({4, 1, 1})), 1);
  EXPECT_EQ(median_of_samples(of({4, 1})), 2.5) << "as of two values";
  EXPECT_EQ(median_of_samples(of({7})), 7);
  EXPECT_EQ(mean_of_samples({}), std::nullopt);
  EXPECT_EQ(median_of_samples({{1, 0}}), std::nullopt) << "a value without weight is none";
}

TEST(Samples, WeightsCount) {
  // 1 for 10 s, 0 for 25 s, 0.5 for 5 s: half of the 40 s are over within those of 0.
  const Samples shares = {{1, 10}, {0, 25}, {0.5, 5}};
  EXPECT_DOUBLE_EQ(mean_of_samples(shares).value(), 12.5 / 40);
  EXPECT_EQ(median_of_samples(shares), 0);
  EXPECT_EQ(median_of_samples({{1, 2}, {3, 1}, {5, 1}}), 2) << "exactly half is up to 1";
}

TEST(Samples, KsDistanceIsTheLargestDifferenceOfTheDistributions) {
  // Up to 1: 1/3 against 0; up to 2: 2/3 against 1/3; up to 3: 1 against 2/3.
  EXPECT_DOUBLE_EQ(ks_distance(of({1, 2, 3}), of({2, 3, 4})).value(), 1.0 / 3);
  // Up to 0: 1/2 against 0; up to 5: 1/2 against 1/2; up to 10: 3/4 against 1/2; up to 15: 3/4
  // against 1.
  EXPECT_DOUBLE_EQ(ks_distance(of({0, 20, 0, 10}), of({15, 5})).value(), 0.5);
  EXPECT_EQ(ks_distance(of({1, 1, 2}), of({1, 2, 1})), 0);
  EXPECT_EQ(ks_distance(of({1, 2}), of({3, 4})), 1) << "no overlap";
  EXPECT_EQ(ks_distance(of({1}), {}), std::nullopt);
}

TEST(Samples, KsDistanceOfWeights) {
  // Up to 0: 1 of 4 against 2 of 4.
  EXPECT_DOUBLE_EQ(ks_distance({{0, 1}, {1, 3}}, {{0, 2}, {1, 2}}).value(), 0.25);
}

}  // namespace heddle::report::samples_test
