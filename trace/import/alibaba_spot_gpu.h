#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads job_info_df.csv of Alibaba's cluster-trace-v2026-spot-gpu
/// (https://github.com/alibaba/clusterdata). Another file can be node_info_df.csv of the same
/// trace, whose nodes become the cluster. A job becomes a rigid job of `worker_num` tasks that take
/// its duration, with the user `organization` and the queue `job_type`. High-priority jobs have the
/// priority 1. Requests of GPUs are ignored.
Imported import_alibaba_spot_gpu_2026(std::vector<Input>& files, const ImportOptions& options,
                                      JobCollection& jobs, ImportReport& report);
bool is_alibaba_spot_gpu_2026(std::string_view head);

}  // namespace heddle::trace
