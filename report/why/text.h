#pragma once

#include <string>
#include <vector>

#include "report/why/why.h"
#include "wire/fields.h"

namespace heddle::report {

/// All that there is to tell of one job's waiting.
struct WhyAnswer {
  const Scenario& scenario;  ///< resolved
  wire::Json job;            ///< of the summary
  JobId id;
  std::vector<WaitInterval> waiting;  ///< from submission to first start, or as far as it went
  /// Afterwards, while it ran no task; nullopt: that wasn't asked.
  std::optional<std::vector<WaitInterval>> later;
  std::string note;  ///< what limits all that; "" if nothing does
};

/// A sentence for people, without a period: "no room for 2 cores, 4 GiB: …".
std::string in_words(const WhyAnswer& answer, const Obstacle& obstacle);

/// Heading, a line a stretch of waiting, and the sum by cause; "" of a job that is not there.
std::string why_text(const WhyAnswer& answer);
/// The same with every interval.
wire::Json why_json(const WhyAnswer& answer);

}  // namespace heddle::report
