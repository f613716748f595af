#pragma once

#include <string>

#include "report/history.h"

namespace heddle::report {

/// Maximum number of jobs of a run whose page explains why they waited, and maximum size of these
/// explanations as JSON, in bytes.
inline constexpr std::size_t kJobsExplained = 1000;
inline constexpr std::size_t kMostWhyBytes = 2'000'000;

/// Returns {why, why_note}. `why` has the answer for each job of the summary, as short_why_json()
/// returns it. If there are more than `most_jobs` jobs, if the answers are larger than `most_bytes`
/// or if the journal cannot be read, `why` is null and `why_note` is the reason.
wire::Json page_why(const std::string& dir, const RunHistory& history,
                    std::size_t most_jobs = kJobsExplained, std::size_t most_bytes = kMostWhyBytes);

}  // namespace heddle::report
