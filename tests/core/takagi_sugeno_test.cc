#include "core/model/takagi_sugeno.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heddle::takagi_sugeno_test {

using Eigen::VectorXd;

VectorXd of(std::initializer_list<double> values) {
  VectorXd made(static_cast<Eigen::Index>(values.size()));
  Eigen::Index i = 0;
  for (double value : values) made[i++] = value;
  return made;
}

FuzzyModel one_rule() { return {of({1}), {{of({0}), of({1}), of({0, 0})}}}; }
FuzzyModel two_rules() {
  return {of({1}), {{of({0}), of({1}), of({1, 0})}, {of({2}), of({1}), of({0, 10})}}};
}

// Halfway between them both rules count the same: (4 + 10) / 2. At 0 the other rule's Gaussian is
// e^-2.
TEST(TakagiSugeno, AnswersWithTheMeanOfItsRules) {
  const TakagiSugeno model(two_rules());
  EXPECT_DOUBLE_EQ(model.predict(of({1}), of({4})), 7);
  const double other = std::exp(-2.0);
  EXPECT_NEAR(model.predict(of({0}), of({4})), (4 + 10 * other) / (1 + other), 1e-12);
}

TEST(TakagiSugeno, MembershipsAddUpToOneHoweverFarAway) {
  const TakagiSugeno model(two_rules());
  for (double premise : {-1e9, -40.0, 0.0, 0.3, 1.0, 55.0, 1e9}) {
    const VectorXd shares = model.memberships(of({premise}));
    EXPECT_NEAR(shares.sum(), 1, 1e-12) << premise;
    EXPECT_GE(shares.minCoeff(), 0) << premise;
  }
}

// The points are (0, 1), (1, 3), (2, 4). By hand, the slope is 3/2 and the intercept 7/6.
TEST(TakagiSugeno, OneRuleIsLeastSquares) {
  const std::vector<FuzzySample> samples = {
      {of({0}), of({0}), 1}, {of({0}), of({1}), 3}, {of({0}), of({2}), 4}};
  const TakagiSugeno fitted(fit_fuzzy_model(samples, {1, 1, 1e-12}));
  TakagiSugeno adapted(one_rule());
  for (const FuzzySample& sample : samples) adapted.adapt(sample);
  for (double x : {0.0, 1.0, 10.0}) {
    EXPECT_NEAR(fitted.predict(of({0}), of({x})), 1.5 * x + 7.0 / 6, 1e-6);
    EXPECT_NEAR(adapted.predict(of({0}), of({x})), 1.5 * x + 7.0 / 6, 1e-4);
  }
}

// Returns points on two lines, one for each end of the premise: y = 3x and y = 5 - x.
std::vector<FuzzySample> two_lines() {
  std::vector<FuzzySample> samples;
  for (int i = 0; i < 40; ++i) {
    const double x = i % 7;
    samples.push_back({of({0}), of({x}), 3 * x});
    samples.push_back({of({10}), of({x}), 5 - x});
  }
  return samples;
}

TEST(TakagiSugeno, FindsARuleForEachCluster) {
  const FuzzyModel made = fit_fuzzy_model(two_lines(), {2, 1, 1e-9});
  ASSERT_EQ(made.rules.size(), 2U);
  const TakagiSugeno model(made);
  EXPECT_NEAR(model.predict(of({0}), of({4})), 12, 1e-3);
  EXPECT_NEAR(model.predict(of({10}), of({4})), 1, 1e-3);
  const FuzzyModel again = fit_fuzzy_model(two_lines(), {2, 1, 1e-9});
  EXPECT_EQ(again.rules[0].weights, made.rules[0].weights);
}

TEST(TakagiSugeno, AdaptsFromNothingToTheSameAsABatch) {
  FuzzyModel made = fit_fuzzy_model(two_lines(), {2, 1, 1e-12});
  const TakagiSugeno batch(made);
  for (FuzzyRule& rule : made.rules) rule.weights.setZero();
  TakagiSugeno adapted(made);
  for (const FuzzySample& sample : two_lines()) adapted.adapt(sample);
  for (double premise : {0.0, 10.0})
    for (double x : {0.0, 3.0, 6.0})
      EXPECT_NEAR(adapted.predict(of({premise}), of({x})), batch.predict(of({premise}), of({x})),
                  1e-3);
}

TEST(TakagiSugeno, ForgetsWhatWasTrueBefore) {
  TakagiSugeno model(one_rule(), {0.9, 1e6});
  for (int i = 0; i < 50; ++i) model.adapt({of({0}), of({1.0 + i % 3}), 2.0 * (1 + i % 3)});
  for (int i = 0; i < 100; ++i) model.adapt({of({0}), of({1.0 + i % 3}), 7.0 * (1 + i % 3)});
  EXPECT_NEAR(model.predict(of({0}), of({2})), 14, 0.01);
}

TEST(TakagiSugeno, StaysFiniteWhereSamplesSayNothing) {
  TakagiSugeno model(one_rule(), {0.5, 1e6});
  for (int i = 0; i < 5000; ++i) model.adapt({of({0}), of({0}), 3});
  EXPECT_LE(model.largest_variance(), 1.1e7);
  EXPECT_NEAR(model.predict(of({0}), of({0})), 3, 1e-3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  model.adapt({of({0}), of({nan}), 3});
  model.adapt({of({inf}), of({0}), 3});
  model.adapt({of({0}), of({0}), inf});
  model.adapt({of({0}), of({1e300}), 1e300});
  EXPECT_TRUE(std::isfinite(model.predict(of({0}), of({0}))));
}

TEST(TakagiSugeno, FewerRulesThanAskedForWherePremisesAreAlike) {
  const std::vector<FuzzySample> alike(20, {of({1, 2}), of({0, 0, 0}), 4});
  const FuzzyModel made = fit_fuzzy_model(alike, {6, 1, 1e-6});
  EXPECT_EQ(made.rules.size(), 1U);
  EXPECT_NEAR(TakagiSugeno(made).predict(of({1, 2}), of({0, 0, 0})), 4, 1e-4);
}

}  // namespace heddle::takagi_sugeno_test
