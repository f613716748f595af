#pragma once

#include <string>

#include "trace/import/formats.h"
#include "yaml/tree.h"

namespace heddle::trace {

/// Returns the scenario as YAML. Every job has the line `requests: WORD` with the word in
/// `requests`, but the line is left out for "as-made". The size of scenario files is limited, so
/// tasks have only as many corners as fit into the file. Adds a warning if not all corners fit.
std::string replay_text(Imported& imported, const std::string& requests,
                        std::size_t most_bytes = kMaxYamlBytes);

}  // namespace heddle::trace
