#include "core/model/release_estimator.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle {

bool Forecast::empty() const {
  auto none = [](double units) { return units == 0; };
  return std::all_of(predicted.begin(), predicted.end(), none) &&
         std::all_of(actual.begin(), actual.end(), none);
}

void ForecastError::add(const Forecast& forecast) {
  if (forecast.empty()) return;
  ++horizons;
  for (std::size_t i = 0; i < forecast.predicted.size(); ++i) {
    const double off = forecast.predicted[i] - forecast.actual[i];
    predicted += forecast.predicted[i];
    actual += forecast.actual[i];
    absolute += std::abs(off);
    squared += off * off;
    ++values_;
  }
}

double ForecastError::mean_absolute() const { return values_ > 0 ? absolute / values_ : 0; }

double ForecastError::root_mean_square() const {
  return values_ > 0 ? std::sqrt(squared / values_) : 0;
}

ReleaseEstimator::ReleaseEstimator(const PhaseOptions& options, int groups)
    : options_(options),
      expected_(static_cast<std::size_t>(groups)),
      released_(static_cast<std::size_t>(groups)) {}

void ReleaseEstimator::add(JobId job, int group) {
  jobs_.emplace(job, Entry{group, PhaseDetector(options_)});
}

void ReleaseEstimator::asked(JobId job, int tasks) { jobs_.at(job).phases.asked(tasks); }

void ReleaseEstimator::started(JobId job, EmuTime at, ContainerId container, std::int64_t units) {
  jobs_.at(job).phases.started(at, container.value, units);
}

void ReleaseEstimator::ended(JobId job, EmuTime at, ContainerId container) {
  Entry& entry = jobs_.at(job);
  released_[static_cast<std::size_t>(entry.group)] +=
      static_cast<double>(entry.phases.ended(at, container.value));
}

void ReleaseEstimator::remove(JobId job) { jobs_.erase(job); }

std::optional<Forecast> ReleaseEstimator::forecast(EmuTime now, EmuTime horizon) {
  std::fill(expected_.begin(), expected_.end(), 0);
  for (auto& [id, entry] : jobs_) {
    entry.phases.advance(now);
    expected_[static_cast<std::size_t>(entry.group)] += entry.phases.expected(now, horizon);
  }
  std::optional<Forecast> settled =
      std::exchange(made_, Forecast{now, now + horizon, expected_, {}});
  std::vector<double> actual = std::exchange(released_, std::vector<double>(expected_.size()));
  if (!settled) return std::nullopt;
  settled->actual = std::move(actual);
  error_.add(*settled);
  return settled;
}

const PhaseDetector* ReleaseEstimator::job(JobId job) const {
  auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second.phases;
}

}  // namespace heddle
