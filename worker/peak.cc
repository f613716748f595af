#include "worker/peak.h"

#include <algorithm>

namespace heddle::worker {

Peak peak_of(const PeakEvidence& evidence) {
  if (evidence.limit) return {*evidence.limit, PeakMethod::kLimit};
  const bool kernel_knows =
      evidence.kernel > real::Bytes(0) && (evidence.cache <= kLittleCache || !evidence.sampled);
  if (!kernel_knows) return {evidence.largest, PeakMethod::kSamples};
  return {std::max(evidence.kernel - evidence.cache, evidence.largest), PeakMethod::kKernel};
}

}  // namespace heddle::worker
