#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/ids.h"
#include "common/units.h"
#include "core/model/resources.h"

namespace heddle::backfill {

// Which running jobs end so that a job of a preempting quality of service can start
// (QosSpec::preempt), as in Slurm's plugin preempt/qos.

/// A running job that may be preempted. Amounts on nodes are those of its live containers.
struct Preemptible {
  JobId job;
  std::int64_t priority = 0;  ///< of its quality of service
  EmuTime started;
  std::vector<std::pair<std::size_t, Resources>> holds;  ///< by node
};

/// A node that the waiting job may use, or not.
struct PreemptionNode {
  Resources free;  ///< with what killed containers will release
  bool usable = true;
};

/// Returns the jobs to end so that `tasks` containers of that size fit at once, as few as the order
/// allows. The lowest priority of a quality of service goes first, then the job on the fewest nodes
/// (_gen_job_prio() of Slurm's preempt_qos.c), then the youngest, then the highest id. Returns
/// nullopt if the tasks would not fit even if all of these jobs ended, and an empty list if they
/// fit already.
std::optional<std::vector<JobId>> to_preempt(int tasks, const Resources& size,
                                             std::vector<PreemptionNode> nodes,
                                             std::vector<Preemptible> running);

}  // namespace heddle::backfill
