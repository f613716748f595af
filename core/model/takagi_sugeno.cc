#include "core/model/takagi_sugeno.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Maximum of variances. If no sample gives information about a direction, forgetting would let the
// variance in this direction grow without limit.
constexpr double kMostVariance = 1e7;

}  // namespace

TakagiSugeno::TakagiSugeno(FuzzyModel model, Learning learning)
    : model_(std::move(model)), learning_(learning) {
  for (const FuzzyRule& rule : model_.rules)
    covariances_.push_back(MatrixXd::Identity(rule.weights.size(), rule.weights.size()) *
                           learning_.variance);
}

VectorXd TakagiSugeno::scaled(const VectorXd& x) const {
  VectorXd with_one(x.size() + 1);
  with_one << x.cwiseQuotient(model_.scale), 1;
  return with_one;
}

VectorXd TakagiSugeno::memberships(const VectorXd& premise) const {
  VectorXd exponents(std::ssize(model_.rules));
  for (Eigen::Index i = 0; i < exponents.size(); ++i) {
    const FuzzyRule& rule = model_.rules[static_cast<std::size_t>(i)];
    exponents[i] = -0.5 * (premise - rule.centre).cwiseQuotient(rule.width).squaredNorm();
  }
  // Memberships are computed relative to the nearest rule. Otherwise, all exponentials could
  // underflow to 0.
  VectorXd shares = (exponents.array() - exponents.maxCoeff()).exp();
  return shares / shares.sum();
}

double TakagiSugeno::predict(const VectorXd& premise, const VectorXd& x) const {
  const VectorXd shares = memberships(premise);
  const VectorXd regressors = scaled(x);
  double y = 0;
  for (Eigen::Index i = 0; i < shares.size(); ++i)
    y += shares[i] * model_.rules[static_cast<std::size_t>(i)].weights.dot(regressors);
  return y;
}

void TakagiSugeno::adapt(const FuzzySample& sample, double weight) {
  if (!sample.x.allFinite() || !sample.premise.allFinite() || !std::isfinite(sample.y)) return;
  const VectorXd shares = memberships(sample.premise);
  const VectorXd x = scaled(sample.x);
  for (std::size_t i = 0; i < model_.rules.size(); ++i) {
    const double share = shares[static_cast<Eigen::Index>(i)] * weight;
    // A sample with a very small membership in a rule must not make the rule forget earlier
    // samples.
    if (share < 1e-6) continue;
    VectorXd& weights = model_.rules[i].weights;
    MatrixXd& covariance = covariances_[i];
    const VectorXd spread = covariance * x;
    const VectorXd gain = spread / (learning_.forgetting / share + x.dot(spread));
    const VectorXd moved = weights + gain * (sample.y - weights.dot(x));
    MatrixXd left = covariance - gain * spread.transpose();
    left = (left + left.transpose()).eval() / 2;
    if (!moved.allFinite() || !left.allFinite()) continue;
    weights = moved;
    const double forgotten = 1 + share * (1 / learning_.forgetting - 1);
    const double bound = std::max(kMostVariance, learning_.variance);
    if (left.diagonal().maxCoeff() * forgotten <= bound) left *= forgotten;
    covariance = left;
  }
}

double TakagiSugeno::largest_variance() const {
  double largest = 0;
  for (const MatrixXd& covariance : covariances_)
    largest = std::max(largest, covariance.diagonal().maxCoeff());
  return largest;
}

}  // namespace heddle
