#pragma once

#include "core/policy/locality/locality_rule.h"

namespace heddle {

extern const LocalityPart kShrinkMaps;

/// Applies Algorithm 3 to one node: returns how many of `local` maps are launched there, and with
/// how much each; nullopt if k is 0. `least`: the smallest size, at least mu * wanted.
std::optional<Portion> shrunk(const Resources& free, const Resources& wanted,
                              const Resources& least, int local);

}  // namespace heddle
