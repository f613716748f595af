#pragma once

#include "core/policy/base/option.h"

namespace heddle {

/// The resources of which queues, users and application masters have shares.
enum class ResourceCalculator { kDominant, kMemory };

inline constexpr WordOption<ResourceCalculator> kResourceCalculator(
    {.name = "resource_calculator",
     .words = {"dominant", "memory"},
     .by_default = "dominant",
     .help = "capacity: what counts in the shares of queues and users: dominant: the largest share "
             "of any resource; memory: memory alone, as by YARN's default. Containers have to fit "
             "in every resource nevertheless"});

inline constexpr ResourceOption kFairResource(
    {.name = "fair_resource",
     .by_default = "memory",
     .help =
         "fair: the resource whose shares are compared: memory, as by YARN's default, cores, or "
         "one that cluster.resources names"});

}  // namespace heddle
