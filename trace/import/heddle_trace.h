#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Returns a scenario that replays the output of `heddle trace` (docs/how-to/traces.md). In the
/// scenario, jobs are submitted at the same times as in the trace. Each task takes as long and uses
/// as much over time.
Imported import_heddle_trace(std::vector<Input>& files, const ImportOptions& options,
                             JobCollection& jobs, ImportReport& report);
bool is_heddle_trace(std::string_view head);

}  // namespace heddle::trace
