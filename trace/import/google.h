#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads Google's clusterdata-2011-2 (https://github.com/google/cluster-data): parts of
/// task_events, in the order of time. Other files can be machine_events, whose machines become the
/// cluster, and parts of task_usage, which say how much CPU and memory tasks used. The files are
/// distinguished by their number of fields.
///
/// Tasks of a job with equal requests become a phase. A task takes as long as its last attempt that
/// finished, or else as its longest attempt.
Imported import_google_2011(std::vector<Input>& files, const ImportOptions& options,
                            JobCollection& jobs, ImportReport& report);
/// Recognises task_events.
bool is_google_2011(std::string_view head);

}  // namespace heddle::trace
