#pragma once

#include "core/policy/locality/locality_rule.h"

namespace heddle {

extern const LocalityPart kShrinkMaps;

/// Algorithm 3 for one node: how many of `local` maps are launched there, and with how much each;
/// nullopt: k is 0. `least`: at least mu * wanted.
std::optional<Portion> shrunk(const Resources& free, const Resources& wanted,
                              const Resources& least, int local);

}  // namespace heddle
