#pragma once

#include <string_view>
#include <vector>

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads batch_task.csv of Alibaba's cluster-trace-v2017 and cluster-trace-v2018
/// (https://github.com/alibaba/clusterdata). The second file can be batch_instance.csv of the same
/// trace. A job is all rows with the same job name. Each task becomes a phase, and each of its
/// instances becomes a task of the phase. In 2018, the names of tasks say which other tasks must be
/// complete; in 2017, the tasks of a job are independent.
///
/// The trace has normalised memory and no machines, so both are chosen by the options.
Imported import_alibaba_2017(std::vector<Input>& files, const ImportOptions& options,
                             JobCollection& jobs, ImportReport& report);
Imported import_alibaba_2018(std::vector<Input>& files, const ImportOptions& options,
                             JobCollection& jobs, ImportReport& report);
bool is_alibaba_2017(std::string_view head);
bool is_alibaba_2018(std::string_view head);

}  // namespace heddle::trace
