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

/// Returns oom_score_adj for each container's processes. The kernel kills the process with the
/// largest sum of its memory (resident, swapped and page tables) and oom_score_adj thousandths of
/// the limit (mm/oom_kill.c, oom_badness). The container to be killed first gets the whole limit on
/// top, and each one after it half as much as the one before. So the next one is marked already
/// when the first is gone, unless another's memory is larger by more than a quarter of the limit.
/// `youngest`: the latest start first. `largest`: the largest charge of all processes together
/// first. Ties: the lowest id first. `kernel`: 0 for all.
///
/// `raised`: some process beside the containers is not to be chosen, but can't be protected. Then
/// all containers get more than it has: under `kernel` the whole limit each, otherwise half of it
/// plus half of the above.
std::map<ContainerId, int> oom_scores(OomPreference preference,
                                      std::vector<OomCandidate> candidates, bool raised = false);

}  // namespace heddle::worker
