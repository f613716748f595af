#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads the traces that Hadoop's Rumen makes of the job history (hadoop-tools/hadoop-rumen): a
/// sequence of JSON objects, one per job. The time 0 is the submission of the first job in the
/// file.
///
/// Maps become a phase, and reduces become a phase that begins when the maps are complete. A task
/// is its successful attempt, or else its longest one. If the attempt has `clockSplits` and
/// `cpuUsages`, the task follows a usage curve; if not, it takes the time of the attempt.
Imported import_rumen(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                      ImportReport& report);
bool is_rumen(std::string_view head);

}  // namespace heddle::trace
