#pragma once

#include <string>
#include <vector>

#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::report {

/// Returns what the headline metrics in a comparison's `metrics` (compare.json) say. There is a
/// text for each policy except the first, which is the baseline: "fair takes 1.25 times as long as
/// fifo [1.21-1.29]. On average its jobs take …". An interval in brackets is the interval of the
/// ratio.
std::vector<std::string> conclusions(const wire::Json& metrics,
                                     const std::vector<std::string>& policies);

/// Returns sentences that say what slowdowns are relative to. `real`: true if the times of the runs
/// are measured, false if they are simulated.
std::string alone_text(const JobReferences& references, bool real);

/// Returns the verdict for people: "better", "worse" or another word, and ", exact" if the
/// difference needs no test. `against`: an entry of a metric's "against". `better` says which
/// values of the metric are better (better_json()).
std::string verdict_text(const wire::Json& against, const wire::Json& better);

}  // namespace heddle::report
