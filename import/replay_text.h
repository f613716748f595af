#pragma once

#include <string>

#include "import/importer.h"

namespace heddle {

/// The scenario as YAML, every job with `requests: WORD` (none: "as-made"). What a scenario file
/// may not hold, it can't be read back; so tasks have as many corners as fit. Adds a warning if
/// these are few.
std::string replay_text(Imported& imported, const std::string& requests);

}  // namespace heddle
