#include "report/statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

namespace heddle::report {

std::optional<Spread> spread_of(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return Spread{(values[(n - 1) / 2] + values[n / 2]) / 2, values.front(), values.back()};
}

double mean_of(const std::vector<double>& values) {
  assert(!values.empty());
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

Estimate estimate_mean(const std::vector<double>& values, double level) {
  assert(values.size() >= 2 && level > 0 && level < 1);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) return {*low, {*low, *low}};
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  const boost::math::students_t distribution(n - 1);
  const double half =
      boost::math::quantile(distribution, (1 + level) / 2) * std::sqrt(squares / (n - 1) / n);
  return {mean, {mean - half, mean + half}};
}

std::optional<double> jain_index(const std::vector<double>& amounts) {
  double sum = 0, squares = 0;
  for (double amount : amounts) {
    sum += amount;
    squares += amount * amount;
  }
  if (squares <= 0) return std::nullopt;
  return sum * sum / (static_cast<double>(amounts.size()) * squares);
}

}  // namespace heddle::report
