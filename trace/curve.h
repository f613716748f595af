#pragma once

#include <cstddef>
#include <vector>

#include "core/model/event.h"
#include "core/model/resources.h"

namespace heddle::trace {

/// Most corners that a container's usage is told in, its end included.
inline constexpr std::size_t kMostCorners = 60;

/// What a container used over a stretch of time. Sums are whole numbers, so stretches that are put
/// together lose nothing.
struct UsageStretch {
  EmuTime length;
  CoreTime cpu;            ///< used in it
  EmuBytes from, to;       ///< memory at both ends, in a straight line between them
  EmuBytes disk, network;  ///< moved in it
  EmuTime kept;            ///< of this time it waited for a core of its crowded node
  friend bool operator==(const UsageStretch&, const UsageStretch&) = default;

  double cores() const;
};

/// What counts as much or little: the container's request, and its node's bytes a second.
struct UsageScale {
  Resources request;
  double most_cores = 0;  ///< that it can ever have had; 0: not known
  double disk_bytes_per_s = 1, network_bytes_per_s = 1;
};

/// Puts neighbours together where that changes least (least squares over time, in shares of the
/// scale), as long as it changes nothing by more than a fiftieth, or they are more than `most`.
/// Lengths and sums stay what they are, so does the highest memory. REQUIRES: stretches that meet;
/// most > 1.
std::vector<UsageStretch> simplified(std::vector<UsageStretch> stretches, std::size_t most,
                                     const UsageScale& scale);

/// Makes stretches of what is measured of a container now and then, in bounded memory.
class UsageCurve {
 public:
  UsageCurve(EmuTime begin, const UsageScale& scale) : scale_(scale), until_(begin) {}

  /// Its work begins only now: what was before is left out, but for its CPU and bytes, which count
  /// as of the beginning.
  void begin(EmuTime at);
  /// As measured at a time; of one not later than the last nothing is kept. `within_reach`: cores
  /// that it could have had since the time before, by what others got; 0: all that it wanted.
  void add(EmuTime at, const ContainerUse& use, double within_reach = 0);
  /// Cores that it used since the time before; 0 if no time has passed.
  double cores_until(EmuTime at, const ContainerUse& use) const;
  /// Up to its end, of which the sums and the peak are known: at least one stretch, at most
  /// kMostCorners - 1. Times of measurement are a little off, so what is more than it can have used
  /// in a stretch counts to the neighbours. What met no contention was kept from nothing. Memory is
  /// what was measured at a stretch's end, in the first one at its begin too; where it was highest
  /// it is the peak.
  std::vector<UsageStretch> finish(EmuTime end, const AttemptUsage& usage) const;
  /// Up to what was measured last, of one that is still alive.
  std::vector<UsageStretch> unfinished() const;
  /// As measured last.
  const ContainerUse& last() const { return last_; }

 private:
  /// The stretch from the last measurement to this one, where there is one.
  void add_stretch(EmuTime at, const ContainerUse& use, double within_reach,
                   std::vector<UsageStretch>& stretches) const;

  UsageScale scale_;
  std::vector<UsageStretch> stretches_;
  EmuTime until_;  ///< end of the last stretch
  ContainerUse last_;
  ContainerUse counted_;  ///< sums that are in the stretches
  bool measured_ = false;
  double within_reach_ = 0;  ///< as measured last
};

}  // namespace heddle::trace
