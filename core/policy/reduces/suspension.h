#pragma once

#include "core/policy/reduces/reduce_adjustment.h"

namespace heddle {

extern const ReducePart kSuspendReduces;

/// Returns how long starved reduces are suspended at a control point: max(0, lambda^v - theta) * T.
/// `lambda`: Spark's part of what is allocated, 0..1. `power`: v. `threshold`: theta. `interval`:
/// T.
EmuTime suspend_span(double lambda, double power, double threshold, EmuTime interval);

/// Returns the emulated time for which a resumed container holds its cores but gets no CPU (option
/// suspend_cost). Returns 0 if the policy suspends no reduces.
EmuTime suspend_cost(const PolicySpec& policy);

}  // namespace heddle
