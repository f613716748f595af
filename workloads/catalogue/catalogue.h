#pragma once

#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/scenario/workload.h"

namespace heddle::workloads {

/// Returns the table of named workloads, in the order of the docs.
const std::vector<WorkloadInfo>& workloads();

/// Returns the workload of that name. Error (kUsage): the name is unknown. The error has the
/// nearest known name.
Result<const WorkloadInfo*> find_workload(std::string_view name);

/// Returns the phases and stages that a workload stands for. Errors (kUsage):
/// - The workload is unknown or a mix.
/// - The workload can't run with this framework.
/// - A phase has more than a million tasks.
/// - The plan has more than a thousand phases or ten thousand stages.
Result<WorkloadPlan> expand_workload(std::string_view name, const WorkloadSizes& sizes,
                                     const WorkloadContext& context);

/// Returns the jobs that a mix stands for, in the order in which they are to be submitted. Errors
/// (kUsage): the errors of expand_workload(), and the workload is not a mix.
Result<std::vector<MixJob>> expand_mix(std::string_view name, const WorkloadSizes& sizes,
                                       const WorkloadContext& context);

/// The functions above, for the reader of scenarios.
inline constexpr WorkloadTable kWorkloadTable{find_workload, expand_workload, expand_mix};

}  // namespace heddle::workloads
