#pragma once

#include <optional>

#include "common/units.h"
#include "core/model/event.h"

namespace heddle::worker {

/// Evidence of the memory that a container had, collected until its end.
struct PeakEvidence {
  real::Bytes kernel = {};   ///< the kernel's own peak, with page cache; 0 if it counts none
  real::Bytes largest = {};  ///< largest use in a sample, without page cache
  real::Bytes cache = {};    ///< largest page cache in a sample or at the end
  bool sampled = false;      ///< there was a sample before the end
  std::optional<real::Bytes> limit = {};  ///< the container's limit, if the kernel killed for it
};

struct Peak {
  real::Bytes bytes;
  PeakMethod method = PeakMethod::kKernel;
  friend bool operator==(const Peak&, const Peak&) = default;
};

/// A container with at most this much page cache counts as one without.
inline constexpr real::Bytes kLittleCache(1 << 20);

/// Returns the peak of the container's use. The kernel's peak, less the cache, counts if there was
/// little cache or if the container ended before its first sample. Otherwise nobody knows how much
/// of the kernel's peak was cache, and the largest sample counts.
Peak peak_of(const PeakEvidence& evidence);

}  // namespace heddle::worker
