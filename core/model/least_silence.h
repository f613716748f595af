#pragma once

#include <chrono>

#include "common/units.h"

namespace heddle {

/// A node is lost after at least this time without a heartbeat, because a busy machine can delay a
/// heartbeat by a shorter time.
inline constexpr real::Duration kLeastSilence = std::chrono::seconds(2);

}  // namespace heddle
