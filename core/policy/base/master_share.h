#pragma once

#include "core/policy/base/option.h"

namespace heddle {

/// Limits what all application masters hold together. Schedulers set its default.
inline constexpr NumberOption kMaxAmShare(
    {.name = "max_am_share",
     .least = 0,
     .most = 1,
     .by_default = "1",
     .help =
         "share of the cluster that application masters can hold together; one may always run"});

}  // namespace heddle
