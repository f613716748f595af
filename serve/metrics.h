#pragma once

#include <string>
#include <vector>

#include "serve/live.h"

namespace heddle::serve {

/// Returns the runs' figures in the text format of Prometheus. Metrics have the labels run,
/// scenario and policy, and those of a node also node. The order is that of the runs.
std::string metrics_text(const std::vector<LiveRun>& runs);

}  // namespace heddle::serve
