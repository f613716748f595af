#include "core/model/release_estimator.h"

#include <algorithm>
#include <utility>

namespace heddle {

bool Forecast::empty() const {
  auto none = [](double size) { return size == 0; };
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

ReleaseEstimator::ReleaseEstimator(const PhaseOptions& options, int groups)
    : options_(options),
      expected_(static_cast<std::size_t>(groups)),
      released_(static_cast<std::size_t>(groups)) {}

void ReleaseEstimator::ended(JobId job, EmuTime at, ContainerId container) {
  close_before(at);
  Entry& entry = jobs_.at(job);
  released_[static_cast<std::size_t>(entry.group)] += entry.phases.ended(at, container.value);
}

void ReleaseEstimator::forecast(EmuTime now, EmuTime horizon) {
  std::fill(expected_.begin(), expected_.end(), 0);
  for (auto& [id, entry] : jobs_) {
    entry.phases.advance(now);
    expected_[static_cast<std::size_t>(entry.group)] += entry.phases.expected(now, horizon);
  }
  if (horizon == EmuTime(0)) return;
  open_.push_back({{now, now + horizon, {expected_.begin(), expected_.end()}, {}}, released_});
}

std::vector<Forecast> ReleaseEstimator::settle(EmuTime now) {
  close_before(now + EmuTime(1));
  if (jobs_.empty())
    while (!open_.empty()) close_first();
  return std::exchange(closed_, {});
}

void ReleaseEstimator::close_first() {
  auto& [forecast, before] = open_.front();
  for (std::size_t i = 0; i < before.size(); ++i)
    forecast.actual.push_back(static_cast<double>(released_[i] - before[i]));
  closed_.push_back(std::move(forecast));
  open_.pop_front();
}

const PhaseDetector* ReleaseEstimator::job(JobId job) const {
  auto found = jobs_.find(job);
  return found == jobs_.end() ? nullptr : &found->second.phases;
}

}  // namespace heddle
