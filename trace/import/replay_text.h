#pragma once

#include <string>

#include "core/scenario/yaml/yaml_tree.h"
#include "trace/import/heddle_trace.h"

namespace heddle::trace {

/// The scenario as YAML, every job with `requests: WORD` (none: "as-made"). A scenario file has a
/// largest size, so tasks have as many corners as fit into that. Adds a warning if not all do.
std::string replay_text(Imported& imported, const std::string& requests,
                        std::size_t most_bytes = kMaxYamlBytes);

}  // namespace heddle::trace
