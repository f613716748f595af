#pragma once

#include <cstddef>
#include <vector>

#include "core/model/event.h"
#include "core/model/resources.h"

namespace heddle::trace {

/// Maximum number of corners of a container's usage, including the end.
inline constexpr std::size_t kMostCorners = 60;

/// Usage of a container over a stretch of time. Sums are whole numbers, so merging stretches loses
/// nothing.
struct UsageStretch {
  EmuTime length;
  CoreTime cpu;            ///< CPU time used in the stretch
  EmuBytes from, to;       ///< memory at both ends, linear between them
  EmuBytes disk, network;  ///< bytes moved in the stretch
  EmuTime kept;            ///< time of the stretch spent waiting for a core of the crowded node
  friend bool operator==(const UsageStretch&, const UsageStretch&) = default;

  double cores() const;
};

/// Scale for comparing stretches: the container's request, and its node's bytes per second.
struct UsageScale {
  Resources request;
  double most_cores = 0;  ///< most cores that the container can have had; 0: not known
  double disk_bytes_per_s = 1, network_bytes_per_s = 1;
};

/// Merges the neighbors whose merging changes least (least squares over time, as shares of the
/// scale), as long as no change is above a fiftieth or there are more than `most` stretches.
/// Lengths, sums and the highest memory stay the same. REQUIRES: the stretches are contiguous; most
/// > 1.
std::vector<UsageStretch> simplified(std::vector<UsageStretch> stretches, std::size_t most,
                                     const UsageScale& scale);

/// Builds stretches from the measurements of a container, in bounded memory.
class UsageCurve {
 public:
  UsageCurve(EmuTime begin, const UsageScale& scale) : scale_(scale), until_(begin) {}

  /// Restarts the curve at the beginning of the container's work. Earlier measurements are dropped,
  /// but their CPU and bytes count as of the beginning.
  void begin(EmuTime at);
  /// Adds a measurement. A measurement that is not later than the last one is ignored.
  /// `within_reach`: cores that the container could have had since the last measurement, judged by
  /// what others got; 0: as many as it wanted.
  void add(EmuTime at, const ContainerUse& use, double within_reach = 0);
  /// Returns the cores used since the last measurement; 0 if no time has passed.
  double cores_until(EmuTime at, const ContainerUse& use) const;
  /// Returns the stretches up to the container's end, for which the sums and the peak are known: at
  /// least one, at most kMostCorners - 1. The times of measurements are slightly off, so what
  /// exceeds the possible use of a stretch is moved to its neighbors. Without contention no time is
  /// counted as waiting for a core. Memory is the measurement at a stretch's end, and for the first
  /// stretch also at its beginning; the highest value is set to the peak.
  std::vector<UsageStretch> finish(EmuTime end, const AttemptUsage& usage) const;
  /// Returns the stretches of a live container up to the last measurement.
  std::vector<UsageStretch> unfinished() const;
  /// Returns the last measurement.
  const ContainerUse& last() const { return last_; }

 private:
  /// Adds the stretch from the last measurement to this one, if it has a length.
  void add_stretch(EmuTime at, const ContainerUse& use, double within_reach,
                   std::vector<UsageStretch>& stretches) const;

  UsageScale scale_;
  std::vector<UsageStretch> stretches_;
  EmuTime until_;  ///< end of the last stretch
  ContainerUse last_;
  ContainerUse counted_;  ///< sums that the stretches contain
  bool measured_ = false;
  double within_reach_ = 0;  ///< of the last measurement
};

}  // namespace heddle::trace
