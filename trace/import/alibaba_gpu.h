#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads openb_pod_list_*.csv of Alibaba's cluster-trace-gpu-v2023
/// (https://github.com/alibaba/clusterdata). Another file can be openb_node_list_*.csv of the same
/// trace, whose machines become the cluster. Each pod becomes a job of one task, in the queue of
/// its QoS class. Requests of GPUs are ignored.
Imported import_alibaba_gpu_2023(std::vector<Input>& files, const ImportOptions& options,
                                 JobCollection& jobs, ImportReport& report);
bool is_alibaba_gpu_2023(std::string_view head);

}  // namespace heddle::trace
