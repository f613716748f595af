#pragma once

#include <functional>

#include "common/result.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Calls `measure` in a child process (forked) and gives what it gave: every measurement then has a
/// heap and a peak of memory of its own. The child dies with us. REQUIRES: no other thread runs.
Result<wire::Json> in_child(const std::function<Result<wire::Json>()>& measure);

}  // namespace heddle::bench
