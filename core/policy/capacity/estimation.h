#pragma once

#include "core/model/usage_estimator.h"
#include "core/policy/base/part.h"
#include "core/state/capacity_model.h"

namespace heddle {

extern const Part<CapacityModel> kEstimationPart;

/// Returns how far estimates follow measurements in a policy with `capacity_model: estimation`.
Damping damping_of(const PolicySpec& policy);
/// Returns whether workers make the estimate.
bool estimated_at_worker(const PolicySpec& policy);

}  // namespace heddle
