// Fits a fuzzy model to samples.

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <random>

#include "core/model/takagi_sugeno.h"

namespace heddle {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kRounds = 100, kStarts = 8;
// Width of a rule, relative to the standard deviation of its cluster. With a larger value,
// neighboring rules mix too much. With a smaller value, predictions jump between rules.
constexpr double kOverlap = 1.0;
// Minimum width of a rule, relative to the standard deviation of all premises.
constexpr double kNarrowest = 0.15;

/// Returns a random number in (0, 1). Unlike std::uniform_real_distribution, it gives the same
/// numbers on every platform.
double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
}

struct Clusters {
  MatrixXd centres;  ///< one per column
  std::vector<Index> of;
  double inertia = 0;
};

Index nearest(const MatrixXd& centres, const VectorXd& point, double& distance) {
  Index best = 0;
  distance = (centres.colwise() - point).colwise().squaredNorm().minCoeff(&best);
  return best;
}

/// Chooses initial centers by k-means++ (Arthur and Vassilvitskii). A point becomes the next center
/// with a probability proportional to its squared distance from the nearest existing center.
/// Returns fewer centers if there are fewer distinct points.
MatrixXd first_centres(const MatrixXd& points, int count, std::mt19937_64& random) {
  MatrixXd centres(points.rows(), 1);
  const Index n = points.cols();
  centres.col(0) = points.col(
      std::min<Index>(static_cast<Index>(uniform(random) * static_cast<double>(n)), n - 1));
  VectorXd distances = (points.colwise() - centres.col(0)).colwise().squaredNorm();
  while (centres.cols() < count && distances.sum() > 1e-12) {
    double left = uniform(random) * distances.sum();
    Index chosen = 0;
    while (chosen + 1 < n && (left -= distances[chosen]) > 0) ++chosen;
    if (distances[chosen] <= 0) distances.maxCoeff(&chosen);
    centres.conservativeResize(Eigen::NoChange, centres.cols() + 1);
    centres.col(centres.cols() - 1) = points.col(chosen);
    VectorXd to_new = (points.colwise() - points.col(chosen)).colwise().squaredNorm();
    distances = distances.cwiseMin(to_new);
  }
  return centres;
}

Clusters cluster(const MatrixXd& points, int count, std::mt19937_64& random) {
  Clusters found{first_centres(points, count, random), {}, 0};
  found.of.assign(static_cast<std::size_t>(points.cols()), 0);
  for (int round = 0; round < kRounds; ++round) {
    bool moved = round == 0;
    found.inertia = 0;
    MatrixXd sums = MatrixXd::Zero(points.rows(), found.centres.cols());
    VectorXd counts = VectorXd::Zero(found.centres.cols());
    for (Index i = 0; i < points.cols(); ++i) {
      double distance = 0;
      const Index at = nearest(found.centres, points.col(i), distance);
      moved |= found.of[static_cast<std::size_t>(i)] != at;
      found.of[static_cast<std::size_t>(i)] = at;
      found.inertia += distance;
      sums.col(at) += points.col(i);
      counts[at] += 1;
    }
    if (!moved) break;
    for (Index k = 0; k < counts.size(); ++k)
      if (counts[k] > 0) found.centres.col(k) = sums.col(k) / counts[k];
  }
  return found;
}

VectorXd deviation(const MatrixXd& points) {
  const VectorXd mean = points.rowwise().mean();
  return (points.colwise() - mean).array().square().rowwise().mean().sqrt();
}

/// Returns rules without weights, in the units of the premises.
std::vector<FuzzyRule> make_rules(const MatrixXd& premises, const FuzzyFit& fit) {
  const VectorXd unit = deviation(premises).cwiseMax(1e-9);
  const MatrixXd points = unit.cwiseInverse().asDiagonal() * premises;
  std::mt19937_64 random(fit.seed);
  Clusters best;
  best.inertia = std::numeric_limits<double>::infinity();
  for (int start = 0; start < kStarts; ++start) {
    Clusters found = cluster(points, fit.rules, random);
    if (found.inertia < best.inertia) best = std::move(found);
  }
  std::vector<FuzzyRule> rules;
  for (Index k = 0; k < best.centres.cols(); ++k) {
    VectorXd squares = VectorXd::Zero(points.rows());
    double members = 0;
    for (Index i = 0; i < points.cols(); ++i) {
      if (best.of[static_cast<std::size_t>(i)] != k) continue;
      squares += (points.col(i) - best.centres.col(k)).cwiseAbs2();
      members += 1;
    }
    const VectorXd width =
        (squares / std::max(members, 1.0)).cwiseSqrt().cwiseMax(kNarrowest) * kOverlap;
    rules.push_back({best.centres.col(k).cwiseProduct(unit), width.cwiseProduct(unit), {}});
  }
  return rules;
}

}  // namespace

FuzzyModel fit_fuzzy_model(const std::vector<FuzzySample>& samples, const FuzzyFit& fit) {
  const Index n = std::ssize(samples), dims = samples.front().x.size();
  MatrixXd premises(samples.front().premise.size(), n);
  FuzzyModel model;
  model.scale = VectorXd::Zero(dims);
  for (Index i = 0; i < n; ++i) {
    const FuzzySample& sample = samples[static_cast<std::size_t>(i)];
    premises.col(i) = sample.premise;
    model.scale += sample.x.cwiseAbs2();
  }
  model.scale = (model.scale / static_cast<double>(n)).cwiseSqrt();
  for (double& scale : model.scale)
    if (!(scale > 1e-9)) scale = 1;
  model.rules = make_rules(premises, fit);
  for (FuzzyRule& rule : model.rules) rule.weights = VectorXd::Zero(dims + 1);

  const TakagiSugeno shapes(model);
  const auto rules = model.rules.size();
  std::vector<MatrixXd> normal(rules, MatrixXd::Zero(dims + 1, dims + 1));
  std::vector<VectorXd> right(rules, VectorXd::Zero(dims + 1));
  std::vector<double> weight(rules, 0);
  for (const FuzzySample& sample : samples) {
    const VectorXd shares = shapes.memberships(sample.premise);
    VectorXd x(dims + 1);
    x << sample.x.cwiseQuotient(model.scale), 1;
    for (std::size_t k = 0; k < rules; ++k) {
      const double share = shares[static_cast<Index>(k)];
      normal[k] += share * x * x.transpose();
      right[k] += share * sample.y * x;
      weight[k] += share;
    }
  }
  for (std::size_t k = 0; k < rules; ++k) {
    normal[k].diagonal().array() += fit.ridge * std::max(weight[k], 1.0);
    model.rules[k].weights = normal[k].ldlt().solve(right[k]);
  }
  return model;
}

}  // namespace heddle
