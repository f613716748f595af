#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace heddle {

/// Accumulates the error of predictions against the actual values.
class PredictionError {
 public:
  void add(double predicted, double actual) {
    squares_ += (predicted - actual) * (predicted - actual);
    least_ = count_ == 0 ? actual : std::min(least_, actual);
    most_ = count_ == 0 ? actual : std::max(most_, actual);
    sum_ += actual;
    ++count_;
  }

  std::int64_t count() const { return count_; }
  /// Returns the root mean square error (RMSE); 0 without values.
  double rmse() const { return count_ > 0 ? std::sqrt(squares_ / static_cast<double>(count_)) : 0; }
  /// Returns the RMSE divided by the range of the actual values; nullopt if the range is 0.
  std::optional<double> nrmse() const {
    return most_ > least_ ? std::optional(rmse() / (most_ - least_)) : std::nullopt;
  }
  /// Returns the RMSE divided by the mean of the actual values; nullopt if their sum is not
  /// positive.
  std::optional<double> over_mean() const {
    return sum_ > 0 ? std::optional(rmse() * static_cast<double>(count_) / sum_) : std::nullopt;
  }

 private:
  std::int64_t count_ = 0;
  double squares_ = 0, sum_ = 0, least_ = 0, most_ = 0;
};

}  // namespace heddle
