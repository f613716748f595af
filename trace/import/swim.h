#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Reads the traces of SWIM (https://github.com/SWIMProjectUCB/SWIM): a line per job with 6 to 9
/// fields and tabs between them. The fields are the job's id, the second of its submission, the
/// seconds since the line above, its bytes of map input, of shuffle and of reduce output, and
/// paths.
///
/// The trace has neither tasks nor durations. A job has a map for each block of its input and a
/// reduce for each block of its shuffle or its output, the larger of the two. The tasks of a phase
/// divide its bytes equally and take as long as `options.rate` says. They read no data, so the
/// scenario needs no storage.
Imported import_swim(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                     ImportReport& report);
bool is_swim(std::string_view head);

}  // namespace heddle::trace
