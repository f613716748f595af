#pragma once

#include "trace/import/importer.h"

namespace heddle::trace {

/// A scenario that replays what `heddle trace` wrote (docs/traces.md): when jobs came, how long
/// each task took and what it used meanwhile.
Result<Imported> import_heddle_trace(std::istream& in, const std::string& filename,
                                     const ImportOptions& options);

}  // namespace heddle::trace
