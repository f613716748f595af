#pragma once

#include <string>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Returns whether a quality of service preempts another one, directly or through others. Like
/// Slurm, Heddle has none that preempts itself in this way.
bool preempts_through(const std::vector<QosSpec>& all, const std::string& one,
                      const std::string& other);

}  // namespace heddle
