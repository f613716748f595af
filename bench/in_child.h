#pragma once

#include <functional>

#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Calls `measure` in a forked child process and returns its result. Each measurement therefore has
/// its own heap and its own peak of memory. The child dies with this process. REQUIRES: no other
/// thread runs.
Result<wire::Json> in_child(const std::function<Result<wire::Json>()>& measure);

}  // namespace heddle::bench
