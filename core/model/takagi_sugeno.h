#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace heddle {

/// A rule of the model. For premises near `centre`, the rule's answer is the dot product of
/// `weights` and [x, 1].
struct FuzzyRule {
  Eigen::VectorXd centre, width;  ///< in the units of the premise; widths are above 0
  Eigen::VectorXd weights;        ///< one for each regressor, and one for the constant
};

/// The parameters of a model, as stored in a file.
struct FuzzyModel {
  /// Each regressor is divided by its scale before all else. All scales are above 0.
  Eigen::VectorXd scale;
  std::vector<FuzzyRule> rules;  ///< at least one; all have vectors of the same sizes
};

/// An observation (`premise` and `x`) and its result `y`. The premise determines which rules apply.
/// All values are finite.
struct FuzzySample {
  Eigen::VectorXd premise, x;
  double y = 0;
};

/// The fuzzy model of Takagi and Sugeno. Its prediction is the weighted mean of the rules' linear
/// answers. The weight of a rule is a Gaussian around the rule's center. The model adapts by
/// weighted recursive least squares with forgetting.
///
/// Source: T. Takagi, M. Sugeno, "Fuzzy identification of systems and its applications to modeling
/// and control", IEEE Trans. SMC 15 (1985); RLS: L. Ljung, "System identification", section 11.2.
class TakagiSugeno {
 public:
  struct Learning {
    double forgetting = 1;  ///< in (0, 1]; factor on older samples at each new sample
    /// Initial variance of the weights. If it is larger, samples change the weights faster.
    double variance = 1e6;
  };
  explicit TakagiSugeno(FuzzyModel model) : TakagiSugeno(std::move(model), Learning()) {}
  TakagiSugeno(FuzzyModel model, Learning learning);

  const FuzzyModel& model() const { return model_; }
  /// Returns the membership of each rule, in [0, 1]. Memberships add up to 1, even if the premise
  /// is far from all centers.
  Eigen::VectorXd memberships(const Eigen::VectorXd& premise) const;
  double predict(const Eigen::VectorXd& premise, const Eigen::VectorXd& x) const;
  /// Learns from one sample. For each rule, the sample counts with the rule's membership times
  /// `weight` (>= 0). Samples that are not finite are skipped. The weights stay finite, and the
  /// variances stay bounded.
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
  double ridge = 1e-6;  ///< ridge for collinear regressors, relative to the mean square
};

/// Fits a model to the samples. Computes the centers by k-means over the premises, the widths from
/// the spread of each cluster, and the weights by weighted least squares. The k-means uses
/// `fit.seed`, so equal samples result in equal models. If there are fewer distinct premises than
/// `fit.rules`, the model has fewer rules. REQUIRES: there is at least one sample, and all samples
/// have vectors of the same sizes.
FuzzyModel fit_fuzzy_model(const std::vector<FuzzySample>& samples, const FuzzyFit& fit);

}  // namespace heddle
