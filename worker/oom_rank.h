#pragma once

#include <map>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/scenario/scenario.h"

namespace heddle::worker {

/// A container that the kernel may choose when its node is out of memory.
struct OomCandidate {
  ContainerId container;
  real::Time started;
  real::Bytes charge;  ///< as measured last
};

/// oom_score_adj of each container's processes. The kernel kills the process with the largest
/// resident and swapped memory and page tables plus oom_score_adj thousandths of the limit
/// (mm/oom_kill.c, oom_badness). The one that is to go first gets all of the limit on top, each
/// after it half as much as the one before: so the next is marked already when the first is gone,
/// unless another's memory is larger by more than a quarter of the limit. `youngest`: the latest
/// start first; `largest`: the largest charge first, all its processes together; of equal ones the
/// lowest id. `kernel`: 0 for all.
///
/// `raised`: something beside them is not to be chosen, and can't be protected. All of them then
/// get more than it has: `kernel` the whole limit each, the others half of it, and half of the
/// above.
std::map<ContainerId, int> oom_scores(OomPreference preference,
                                      std::vector<OomCandidate> candidates, bool raised = false);

}  // namespace heddle::worker
