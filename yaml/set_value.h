#pragma once

#include <string>

#include "common/result.h"
#include "yaml/tree.h"

namespace heddle {

/// Applies one `--set key.path=value` to a scenario's tree. In the path, a value of a map is
/// addressed by its key. A member of a list is addressed by its `name`, and `*` addresses every
/// member. Names can contain dots. If several names match, the longest one counts. Missing maps are
/// created. Errors (kUsage) are "--set TEXT: what is wrong", with the nearest known name. The
/// function does not check whether Heddle knows a key. The reader does this later.
Result<void> set_value(YamlNode& root, const std::string& assignment);

}  // namespace heddle
