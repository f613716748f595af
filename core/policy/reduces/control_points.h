#pragma once

#include "core/policy/base/option.h"

namespace heddle {

/// Time between two control points. Control points are the multiples of this time.
inline constexpr SecondsOption kControlInterval(
    {.name = "control_interval",
     .least = 0.001,
     .most = 86400,
     .unit = "s",
     .by_default = "300",
     .help =
         "time (T) between two control points, at which reservations are reported and may move, "
         "and reduces are suspended"});

}  // namespace heddle
