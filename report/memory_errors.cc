#include "report/memory_errors.h"

#include <cmath>

#include "wire/values.h"

namespace heddle::report {
void MemoryErrors::add(const ContainerEnded& event) {
  if (event.outcome == Outcome::kCompleted) {
    peaks_ += static_cast<double>(event.usage.peak_memory.count());
    ++completed_;
    if (event.usage.peak_method == PeakMethod::kSamples) ++sampled_;
  }
  if (!event.usage.memory) return;
  const MemoryFidelity& memory = *event.usage.memory;
  for (const auto& [error, number] : memory.samples) {
    samples_[error] += number;
    count_ += number;
  }
  lag_ms_.insert(lag_ms_.end(), memory.lag_ms.begin(), memory.lag_ms.end());
  if (event.outcome == Outcome::kCompleted) {
    ++tasks_;
    if (memory.peak_missed) ++short_;
  }
  cpu_s_ += memory.cpu_s;
}

double MemoryErrors::error_at(double p) const {
  const auto rank = static_cast<std::int64_t>(std::ceil(p * static_cast<double>(count_) - 1e-9));
  std::int64_t seen = 0;
  for (const auto& [error, number] : samples_)
    if ((seen += number) >= rank) return error / 1e3;
  return 0;
}

wire::Json MemoryErrors::json() const {
  if (empty()) return nullptr;
  const auto error = [&](double p) { return count_ > 0 ? wire::Json(error_at(p)) : wire::Json(); };
  return {{"median_error", error(0.5)},
          {"p99_error", error(0.99)},
          {"lag_ms",
           {{"p50", wire::percentile(lag_ms_, 0.5)}, {"p99", wire::percentile(lag_ms_, 0.99)}}},
          {"short", short_},
          {"tasks", tasks_}};
}

wire::Json MemoryErrors::cpu_s() const {
  return empty() ? wire::Json() : wire::Json(wire::rounded(cpu_s_));
}

wire::Json MemoryErrors::mean_peak() const {
  if (completed_ == 0) return nullptr;
  return std::round(peaks_ / static_cast<double>(completed_));
}

}  // namespace heddle::report
