#pragma once

#include <optional>
#include <vector>

namespace heddle::report {

struct Spread {
  double median = 0, low = 0, high = 0;
};
/// nullopt of no values. The median of an even number lies half-way between the middle two.
std::optional<Spread> spread_of(std::vector<double> values);

/// REQUIRES: there are values.
double mean_of(const std::vector<double>& values);

struct Interval {
  double low = 0, high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

/// The mean of values that are taken to be normal, and the interval in which the true one lies with
/// probability `level` (Student's t); a point if they are all equal.
struct Estimate {
  double mean = 0;
  Interval interval;
};
/// REQUIRES: at least two values; 0 < level < 1.
Estimate estimate_mean(const std::vector<double>& values, double level);

/// How evenly the amounts are shared out, (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one
/// has all (R. Jain, D. Chiu, W. Hawe, 1984). nullopt of no amounts, or if all are 0.
std::optional<double> jain_index(const std::vector<double>& amounts);

}  // namespace heddle::report
