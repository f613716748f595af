#pragma once

#include "core/model/usage_estimator.h"
#include "core/policy/base/part.h"
#include "core/state/capacity_model.h"

namespace heddle {

extern const Part<CapacityModel> kEstimationPart;

/// Returns how much weight the estimates give to each new measurement (damping). REQUIRES: the
/// policy has `capacity_model: estimation`.
Damping damping_of(const PolicySpec& policy);
/// Returns true if the workers compute the estimates.
bool estimated_at_worker(const PolicySpec& policy);

}  // namespace heddle
