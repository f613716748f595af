#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads disaggregated_DLRM_trace.csv of Alibaba's cluster-trace-gpu-v2025
/// (https://github.com/alibaba/clusterdata). Each instance becomes a job of one task, with the user
/// `app_name` and the queue `role`. The trace has no machines. Requests of GPUs, RDMA and disks are
/// ignored.
Imported import_alibaba_gpu_2025(std::vector<Input>& files, const ImportOptions& options,
                                 JobCollection& jobs, ImportReport& report);
bool is_alibaba_gpu_2025(std::string_view head);

}  // namespace heddle::trace
