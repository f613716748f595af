#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace heddle {

/// One rule: near `centre` (of the premise), the answer is `weights` times [x, 1].
struct FuzzyRule {
  Eigen::VectorXd centre, width;  ///< of the premise; widths are above 0
  Eigen::VectorXd weights;        ///< as many as regressors, and one for the constant
};

/// What a model is made of, as a file has it.
struct FuzzyModel {
  /// Regressors are divided by these before anything else; all above 0.
  Eigen::VectorXd scale;
  std::vector<FuzzyRule> rules;  ///< at least one, all of the same shape
};

/// What was seen, and what came of it. Premise: what says which rules apply. All finite.
struct FuzzySample {
  Eigen::VectorXd premise, x;
  double y = 0;
};

/// Takagi and Sugeno's fuzzy model: the mean of its rules' linear answers, weighted by how near
/// their Gaussians' centres are. Adapts by weighted recursive least squares with forgetting.
///
/// Source: T. Takagi, M. Sugeno, "Fuzzy identification of systems and its applications to modeling
/// and control", IEEE Trans. SMC 15 (1985); RLS: L. Ljung, "System identification", section 11.2.
class TakagiSugeno {
 public:
  struct Learning {
    double forgetting = 1;  ///< in (0, 1]: what a sample's weight is multiplied by at each new one
    /// Variance of the weights that it begins with: how little they are trusted.
    double variance = 1e6;
  };
  explicit TakagiSugeno(FuzzyModel model) : TakagiSugeno(std::move(model), Learning()) {}
  TakagiSugeno(FuzzyModel model, Learning learning);

  const FuzzyModel& model() const { return model_; }
  /// Of each rule, in [0, 1], adding up to 1, however far the premise is from all centres.
  Eigen::VectorXd memberships(const Eigen::VectorXd& premise) const;
  double predict(const Eigen::VectorXd& premise, const Eigen::VectorXd& x) const;
  /// Takes one sample in, each rule by its membership times `weight` (>= 0). What isn't finite is
  /// passed over; weights stay finite and variances bounded.
  void adapt(const FuzzySample& sample, double weight = 1);
  /// The largest variance of any weight.
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
  double ridge = 1e-6;  ///< against regressors that depend on each other; of the mean square
};

/// The model of the samples: centres by k-means over the premises (seeded, always the same for the
/// same samples), widths by how far a cluster reaches, consequents by weighted least squares. Fewer
/// rules if there are fewer different premises. REQUIRES: at least one sample, all of one shape.
FuzzyModel fit_fuzzy_model(const std::vector<FuzzySample>& samples, const FuzzyFit& fit);

}  // namespace heddle
