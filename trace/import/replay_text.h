#pragma once

#include <string>

#include "core/scenario/yaml/yaml_tree.h"
#include "trace/import/heddle_trace.h"

namespace heddle::trace {

/// Returns the scenario as YAML, with `requests: WORD` in every job (none for "as-made"). The size
/// of scenario files is limited, so tasks get as many corners as fit. Adds a warning if not all
/// corners fit.
std::string replay_text(Imported& imported, const std::string& requests,
                        std::size_t most_bytes = kMaxYamlBytes);

}  // namespace heddle::trace
