#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/yaml/yaml_tree.h"

namespace heddle {

/// Applies one `--set key.path=value` to a scenario's tree. The path leads through maps by key, and
/// through lists by the `name` of a member or by `*` to every member. Names may contain dots; the
/// longest match counts. Missing maps are created. Errors (kUsage): "--set TEXT: what is wrong",
/// with the nearest known name. The reader checks whether a key exists.
Result<void> set_value(YamlNode& root, const std::string& assignment);

}  // namespace heddle
