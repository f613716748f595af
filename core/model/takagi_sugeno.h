#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace heddle {

/// A rule: near `centre` (a premise), the answer is the dot product of `weights` and [x, 1].
struct FuzzyRule {
  Eigen::VectorXd centre, width;  ///< in the units of the premise; widths are above 0
  Eigen::VectorXd weights;        ///< one for each regressor, and one for the constant
};

/// The parameters of a model, as stored in a file.
struct FuzzyModel {
  /// Divisors of the regressors, applied before anything else; all above 0.
  Eigen::VectorXd scale;
  std::vector<FuzzyRule> rules;  ///< at least one, all of the same shape
};

/// An observation and its result. The premise determines which rules apply. All values are finite.
struct FuzzySample {
  Eigen::VectorXd premise, x;
  double y = 0;
};

/// Takagi and Sugeno's fuzzy model: the mean of the rules' linear answers, weighted by how near the
/// centers of their Gaussians are. Adapts by weighted recursive least squares with forgetting.
///
/// Source: T. Takagi, M. Sugeno, "Fuzzy identification of systems and its applications to modeling
/// and control", IEEE Trans. SMC 15 (1985); RLS: L. Ljung, "System identification", section 11.2.
class TakagiSugeno {
 public:
  struct Learning {
    double forgetting = 1;  ///< in (0, 1]: factor on a sample's weight at each new sample
    /// Initial variance of the weights; the larger, the less the initial weights are trusted.
    double variance = 1e6;
  };
  explicit TakagiSugeno(FuzzyModel model) : TakagiSugeno(std::move(model), Learning()) {}
  TakagiSugeno(FuzzyModel model, Learning learning);

  const FuzzyModel& model() const { return model_; }
  /// Returns the membership of each rule, in [0, 1]. Memberships add up to 1, however far the
  /// premise is from all centers.
  Eigen::VectorXd memberships(const Eigen::VectorXd& premise) const;
  double predict(const Eigen::VectorXd& premise, const Eigen::VectorXd& x) const;
  /// Learns from one sample; each rule counts it by its membership times `weight` (>= 0). Samples
  /// that are not finite are skipped. Weights stay finite and variances bounded.
  void adapt(const FuzzySample& sample, double weight = 1);
  /// Returns the largest variance of any weight.
  double largest_variance() const;

 private:
  Eigen::VectorXd scaled(const Eigen::VectorXd& x) const;

  FuzzyModel model_;
  Learning learning_;
  std::vector<Eigen::MatrixXd> covariances_;  ///< by rule
};

struct FuzzyFit {
  int rules = 6;
  std::uint64_t seed = 1;
  double ridge = 1e-6;  ///< for collinear regressors; relative to the mean square
};

/// Fits a model to the samples: centers by k-means over the premises, widths by the spread of each
/// cluster, consequents by weighted least squares. The k-means is seeded, so the same samples
/// always give the same model. There are fewer rules if there are fewer distinct premises.
/// REQUIRES: at least one sample, all of the same shape.
FuzzyModel fit_fuzzy_model(const std::vector<FuzzySample>& samples, const FuzzyFit& fit);

}  // namespace heddle
