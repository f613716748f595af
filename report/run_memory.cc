#include "report/run_memory.h"

#include <cmath>
#include <vector>

#include "wire/values.h"

namespace heddle::report {

void RunMemory::add(const AttemptRow& attempt) {
  if (!attempt.end || attempt.end->outcome != Outcome::kCompleted) return;
  peaks_[{attempt.phase, attempt.task}] = attempt.end->usage.peak_memory;
}

void RunMemory::add(const UsageSample& sample) {
  const auto capacity = static_cast<double>(
      scenario_.cluster.nodes[static_cast<std::size_t>(sample.node.value)].capacity.memory.count());
  const bool full = static_cast<double>(sample.memory.count()) > kNearlyFull * capacity;
  const auto [last, first] = last_.try_emplace(sample.node, Last{sample.at, full});
  if (!first && last->second.full) nearly_full_ += sample.at - last->second.at;
  last->second = {sample.at, full};
}

std::optional<EmuTime> RunMemory::nearly_full() const {
  return last_.empty() ? std::nullopt : std::optional(nearly_full_);
}

void add_memory(wire::Json& agreement, const Scenario& scenario, const RunMemory& predicted,
                const RunMemory& measured) {
  std::vector<double> errors;
  for (const auto& [place, peak] : measured.peaks()) {
    const auto other = predicted.peaks().find(place);
    const auto& phases = scenario.jobs[static_cast<std::size_t>(place.phase.job.value)].phases;
    const EmuBytes request = phases[static_cast<std::size_t>(place.phase.phase)].request.memory;
    if (other == predicted.peaks().end() || request <= EmuBytes(0)) continue;
    errors.push_back(std::abs(static_cast<double>((other->second - peak).count())) /
                     static_cast<double>(request.count()));
  }
  agreement["peak_memory_error"] = {{"median", wire::percentile(errors, 0.5)},
                                    {"p99", wire::percentile(errors, 0.99)},
                                    {"tasks", errors.size()}};
  const auto seconds = [](const RunMemory& run) -> wire::Json {
    const auto time = run.nearly_full();
    return time ? wire::Json(to_seconds(*time)) : wire::Json();
  };
  agreement["nearly_full_s"] = {{"predicted", seconds(predicted)}, {"measured", seconds(measured)}};
}

}  // namespace heddle::report
