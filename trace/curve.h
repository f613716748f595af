#pragma once

#include <cstddef>
#include <vector>

#include "core/model/event.h"
#include "core/model/resources.h"

namespace heddle::trace {

/// Maximum number of corners of a container's usage, including the end.
inline constexpr std::size_t kMostCorners = 60;

/// Usage of a container over a stretch of time. Sums are integers, so no precision is lost when
/// stretches are merged.
struct UsageStretch {
  EmuTime length;
  CoreTime cpu;            ///< CPU time used in the stretch
  EmuBytes from, to;       ///< memory at the beginning and at the end, linear between them
  EmuBytes disk, network;  ///< bytes moved in the stretch
  /// Time in the stretch in which the container waited for a core of the crowded node.
  EmuTime kept;
  friend bool operator==(const UsageStretch&, const UsageStretch&) = default;

  double cores() const;
};

/// Scale for comparing stretches: the container's request, and the bytes per second of its node.
struct UsageScale {
  Resources request;
  /// Maximum number of cores that the container can have had; 0: not known.
  double most_cores = 0;
  double disk_bytes_per_s = 1, network_bytes_per_s = 1;
};

/// Merges neighboring stretches, one pair after the other. Each time, merges the pair for which the
/// change is smallest. Changes are measured by least squares over time, as shares of the scale.
/// Continues while there are more than `most` stretches, or while there is a pair for which every
/// change is below a fiftieth. Lengths, sums and the highest memory stay the same. REQUIRES: the
/// stretches are contiguous, and `most` > 1.
std::vector<UsageStretch> simplified(std::vector<UsageStretch> stretches, std::size_t most,
                                     const UsageScale& scale);

/// Builds stretches from the measurements of a container, in bounded memory.
class UsageCurve {
 public:
  UsageCurve(EmuTime begin, const UsageScale& scale) : scale_(scale), until_(begin) {}

  /// Restarts the curve at the beginning of the container's work. Drops earlier measurements. The
  /// CPU time and bytes in them count as used after the beginning.
  void begin(EmuTime at);
  /// Adds a measurement. Ignores it if it is not later than the last measurement. `within_reach`:
  /// the number of cores that the container could have had since the last measurement. The caller
  /// estimates this number from what other containers used. If it is 0, the container could have
  /// had as many cores as it wanted.
  void add(EmuTime at, const ContainerUse& use, double within_reach = 0);
  /// Returns the cores used since the last measurement. Returns 0 if no time has passed.
  double cores_until(EmuTime at, const ContainerUse& use) const;
  /// Returns the stretches up to the container's end: at least one and at most kMostCorners - 1.
  /// `usage` has the sums and the peak at the end. The times of measurements are slightly wrong.
  /// Therefore, CPU time that exceeds the possible use of a stretch is moved to its neighbors.
  /// Without contention, no time counts as waiting for a core. The memory at the end of a stretch
  /// is the measurement there. The first stretch also begins with the measurement at its end. The
  /// highest value is set to the peak.
  std::vector<UsageStretch> finish(EmuTime end, const AttemptUsage& usage) const;
  /// Returns the stretches of a live container up to the last measurement.
  std::vector<UsageStretch> unfinished() const;
  /// Returns the last measurement.
  const ContainerUse& last() const { return last_; }

 private:
  /// Adds the stretch from the last measurement to this one, if the stretch has a length.
  void add_stretch(EmuTime at, const ContainerUse& use, double within_reach,
                   std::vector<UsageStretch>& stretches) const;

  UsageScale scale_;
  std::vector<UsageStretch> stretches_;
  EmuTime until_;  ///< end of the last stretch
  ContainerUse last_;
  ContainerUse counted_;  ///< sums of the measurements that the stretches contain
  bool measured_ = false;
  double within_reach_ = 0;  ///< as in the last measurement
};

}  // namespace heddle::trace
