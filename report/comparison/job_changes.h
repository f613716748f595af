#pragma once

#include <map>
#include <string>

#include "report/comparison/metrics.h"
#include "wire/fields.h"

namespace heddle::report {

/// A job gains or loses if its completion changes by more than this share.
inline constexpr double kJobChange = 0.05;

/// Returns how the completion of the jobs changes against the baseline: {"jobs": how many, "gain",
/// "lose": those that complete more than kJobChange sooner or later, "worst": {"job", "by_s"}}.
/// `worst` is the job that loses most seconds, or null if none loses. Considers the jobs that both
/// have.
wire::Json job_changes(const std::map<std::string, JobFigures>& jobs,
                       const std::map<std::string, JobFigures>& baseline);

/// Returns the changes in words: "fair against fifo: 359 of 400 jobs gain more than 5 % in
/// completion, 41 lose more than 5 %; worst: j7, +5419.0 s." If no job loses, the sentence
/// says so. Returns "" for fewer than two jobs.
std::string job_changes_text(const std::string& policy, const std::string& baseline,
                             const wire::Json& changes);

}  // namespace heddle::report
