#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Returns a scenario that replays the output of `heddle trace` (docs/how-to/traces.md). In the
/// scenario, jobs are submitted at the same times as in the trace. Each task takes as long and uses
/// as much over time. Errors (kUsage) name the file, the line and the key, and say what was
/// expected.
Result<Imported> import_heddle_trace(std::istream& in, const std::string& filename,
                                     const ImportOptions& options);

}  // namespace heddle::trace
