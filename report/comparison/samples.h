#pragma once

#include <optional>
#include <vector>

namespace heddle::report {

/// A value that counts `weight` times, such as the time for which it was seen.
struct Sample {
  double value = 0;
  double weight = 1;  ///< not below 0
};
using Samples = std::vector<Sample>;

/// These functions return nullopt if the weights add up to 0.
std::optional<double> mean_of_samples(const Samples& samples);
/// Returns the value below which half of the weight is. If a value has exactly half of the weight
/// up to it, the median is the mean of it and the next value.
std::optional<double> median_of_samples(Samples samples);
/// Returns the two-sample Kolmogorov-Smirnov statistic: the largest difference between the two
/// cumulative distributions, from 0 (equal) to 1 (no overlap).
std::optional<double> ks_distance(Samples one, Samples other);

}  // namespace heddle::report
