#pragma once

#include "common/units.h"

namespace heddle {

/// Returns the time of the monotonic clock this long after its start.
constexpr real::Time at(real::Duration since) { return real::Time(since); }

}  // namespace heddle
