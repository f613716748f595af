#pragma once

#include <string>
#include <vector>

#include "report/why/why.h"
#include "wire/fields.h"

namespace heddle::report {

/// The answer to why one job waited.
struct WhyAnswer {
  const Scenario& scenario;  ///< resolved
  wire::Json job;            ///< the job's entry in the summary
  JobId id;
  std::vector<WaitInterval> waiting;  ///< from submission to first start, or as far as the journal
                                      ///< goes
  /// Times without a running task after the first start; nullopt if not asked for.
  std::optional<std::vector<WaitInterval>> later;
  std::string note;  ///< what limits the answer; "" if nothing does
};

/// Returns a sentence for people, without a period: "no room for 2 cores, 4 GiB: …".
std::string in_words(const WhyAnswer& answer, const Obstacle& obstacle);

/// Returns a heading, a line for each stretch of waiting, and the sums by cause.
std::string why_text(const WhyAnswer& answer);
/// Returns the same as JSON, with every interval.
wire::Json why_json(const WhyAnswer& answer);

}  // namespace heddle::report
