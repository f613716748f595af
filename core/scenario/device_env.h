#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/counts.h"
#include "core/model/labels.h"

namespace heddle {

/// Returns the environment variables that tell a task which devices it holds, as "NAME=value":
/// HEDDLE_GPU=0,3 and HEDDLE_GPU_SHARE=1 for two whole devices of the resource gpu. `names`: other
/// names of the first variable, by resource.
std::vector<std::string> device_variables(const Counts& held, const CountNames& counted,
                                          const Labels& names);

/// Returns whether a task can be told its devices in a variable of that name: capitals, digits and
/// underscores, and not PATH, HOME, LANG or one that the dynamic linker reads.
bool is_device_variable(std::string_view name);
/// Returns whether the text is such a variable with a value of digits, commas and points.
bool is_device_setting(std::string_view text);

}  // namespace heddle
