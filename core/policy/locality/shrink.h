#pragma once

#include "core/policy/locality/locality_rule.h"

namespace heddle {

extern const LocalityPart kShrinkMaps;

/// Applies Algorithm 3 to one node. Returns how many of the `local` maps are launched there, and
/// the size of each. Returns nullopt if k is 0. `least`: the smallest size that is allowed, at
/// least mu * wanted.
std::optional<Portion> shrunk(const Resources& free, const Resources& wanted,
                              const Resources& least, int local);

}  // namespace heddle
