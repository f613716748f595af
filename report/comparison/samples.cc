#include "report/comparison/samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heddle::report {
namespace {

double total_weight(const Samples& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0,
                         [](double sum, const Sample& sample) { return sum + sample.weight; });
}

/// Sorts by value, and leaves out what has no weight.
void sort_samples(Samples& samples) {
  std::ranges::sort(samples, {}, &Sample::value);
  std::erase_if(samples, [](const Sample& sample) { return !(sample.weight > 0); });
}

}  // namespace

std::optional<double> mean_of_samples(const Samples& samples) {
  const double weight = total_weight(samples);
  if (!(weight > 0)) return std::nullopt;
  double sum = 0;
  for (const Sample& sample : samples) sum += sample.value * sample.weight;
  return sum / weight;
}

std::optional<double> median_of_samples(Samples samples) {
  sort_samples(samples);
  if (samples.empty()) return std::nullopt;
  const double half = total_weight(samples) / 2;
  double below = 0;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    below += samples[i].weight;
    if (below > half) return samples[i].value;
    if (below == half) return (samples[i].value + samples[i + 1].value) / 2;
  }
  return samples.back().value;
}

std::optional<double> ks_distance(Samples one, Samples other) {
  sort_samples(one);
  sort_samples(other);
  if (one.empty() || other.empty()) return std::nullopt;
  const double all_of_one = total_weight(one), all_of_other = total_weight(other);
  double of_one = 0, of_other = 0, most = 0;
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const double value = std::min(one[i].value, other[j].value);
    for (; i < one.size() && one[i].value <= value; ++i) of_one += one[i].weight;
    for (; j < other.size() && other[j].value <= value; ++j) of_other += other[j].weight;
    most = std::max(most, std::abs(of_one / all_of_one - of_other / all_of_other));
  }
  return most;
}

}  // namespace heddle::report
