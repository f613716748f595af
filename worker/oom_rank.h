#pragma once

#include <map>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/scenario/scenario.h"

namespace heddle::worker {

/// A container that the kernel can choose to kill when its node is out of memory.
struct OomCandidate {
  ContainerId container;
  real::Time started;
  real::Bytes charge;  ///< as last measured
};

/// Returns oom_score_adj for the processes of each container. For each process, the kernel adds its
/// memory (resident, swapped and page tables) and oom_score_adj thousandths of the limit. The
/// kernel kills the process with the largest sum (mm/oom_kill.c, oom_badness). The first container
/// in the order below gets 1000, so that the whole limit is added to its memory. Each later
/// container gets half of the value of the previous container. Therefore, if the first container is
/// gone, the kernel chooses the second container even before new values are set, unless another
/// container has more memory by more than a quarter of the limit. The order depends on
/// `preference`:
/// - `youngest`: the container with the latest start comes first.
/// - `largest`: the container whose processes together have the largest charge comes first.
/// - `kernel`: there is no order, and all containers get 0.
///
/// If two containers are equal, the container with the lower id comes first.
///
/// `raised` is true if the node has another process that the kernel must not choose and that can't
/// be protected. All containers then get higher values: 1000 under `kernel`, otherwise 500 plus
/// half of the value above.
std::map<ContainerId, int> oom_scores(OomPreference preference,
                                      std::vector<OomCandidate> candidates, bool raised = false);

}  // namespace heddle::worker
