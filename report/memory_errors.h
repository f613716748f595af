#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/model/event.h"
#include "wire/fields.h"

namespace heddle::report {

/// Collects how closely the memory of a run's containers followed the profiles of their tasks.
class MemoryErrors {
 public:
  /// Takes in a container that has ended. Does nothing if nobody measured its memory.
  void add(const ContainerEnded& event);

  /// Returns the real CPU time to fill memory and to give it back; null if nothing was measured.
  wire::Json cpu_s() const;
  /// Returns `fidelity.memory` of the summary: shares of the request, real milliseconds, the
  /// number of completed tasks whose memory never reached its peak, and that of all completed tasks
  /// whose memory was measured. Null if nothing was measured.
  wire::Json json() const;
  /// Returns the mean of the memory peaks of containers that completed, in emulated bytes; null if
  /// none completed.
  wire::Json mean_peak() const;
  /// Returns how many of these containers have a peak of PeakMethod::kSamples.
  std::int64_t sampled_peaks() const { return sampled_; }

 private:
  bool empty() const { return count_ == 0 && lag_ms_.empty() && short_ == 0; }
  /// Returns the smallest error that the share `p` of the samples do not exceed.
  double error_at(double p) const;

  std::map<int, std::int64_t> samples_;  ///< by error in thousandths of the request
  std::int64_t count_ = 0;
  std::vector<double> lag_ms_;
  std::int64_t short_ = 0;
  std::int64_t tasks_ = 0;
  double cpu_s_ = 0;
  double peaks_ = 0;  ///< emulated bytes
  std::int64_t completed_ = 0, sampled_ = 0;
};

}  // namespace heddle::report
