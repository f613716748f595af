#pragma once

#include <optional>
#include <vector>

namespace heddle::report {

struct Spread {
  double median = 0, low = 0, high = 0;
};
/// Returns the spread of the values, or nullopt if there are no values. If the number of values is
/// even, the median is the mean of the two middle values.
std::optional<Spread> spread_of(std::vector<double> values);

/// Returns the mean. REQUIRES: there are values.
double mean_of(const std::vector<double>& values);

struct Interval {
  double low = 0, high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

/// The mean of values that are assumed to be normally distributed, and the interval that contains
/// the true mean with probability `level` (Student's t). If all values are equal, the interval is a
/// point.
struct Estimate {
  double mean = 0;
  Interval interval;
};
/// Estimates the mean. REQUIRES: there are at least two values, and 0 < `level` < 1.
Estimate estimate_mean(const std::vector<double>& values, double level);

/// Returns Jain's fairness index, (sum x)^2 / (n sum x^2) (R. Jain, D. Chiu, W. Hawe, 1984). The
/// index is 1 if all amounts are equal, and 1/n if only one amount is not 0. Returns nullopt if
/// there are no amounts or all amounts are 0.
std::optional<double> jain_index(const std::vector<double>& amounts);

}  // namespace heddle::report
