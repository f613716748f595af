#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/yaml/yaml_tree.h"

namespace heddle {

/// Carries out one `--set key.path=value` on a scenario's tree: the path leads through maps by key
/// and through lists by the `name` of a member (names may hold dots: the longest that matches
/// counts), or by `*` to every member; maps that are missing are made. Error (kUsage): "--set TEXT:
/// what is wrong", with the nearest known name. Whether a key exists is the reader's business.
Result<void> set_value(YamlNode& root, const std::string& assignment);

}  // namespace heddle
