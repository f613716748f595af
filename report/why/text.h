#pragma once

#include <string>
#include <vector>

#include "report/why/reason.h"
#include "report/why/why.h"

namespace heddle::report {

/// The answer to why one job waited.
struct WhyAnswer {
  const Scenario& scenario;  ///< resolved
  wire::Json job;            ///< the job's entry in the summary
  JobId id;
  /// From submission to the first start, or to the end of the journal.
  std::vector<WaitInterval> waiting;
  /// Times after the first start in which no task ran. The value is nullopt if the user did not
  /// request them.
  std::optional<std::vector<WaitInterval>> later;
  /// A sentence for each loss of a node with attempts of the job.
  std::vector<std::string> losses;
  std::string note;  ///< why the answer is incomplete; "" if it is complete
};

/// Describes an obstacle of the answer's job.
Reason reason_of(const WhyAnswer& answer, const Obstacle& obstacle);

/// A span of waiting for people. Short intervals are merged into longer ones (shown_waits).
struct WaitStretch {
  EmuTime from, until;
  std::string phase;  ///< the phase that waited; "" if it was the whole job
  std::string words;  ///< what the job waited for
};
std::vector<WaitStretch> stretches_of(const WhyAnswer& answer,
                                      const std::vector<WaitInterval>& intervals);

/// Returns a heading, a line for each span of waiting, and the total time of each cause. `width`:
/// as in format_table().
std::string why_text(const WhyAnswer& answer, int width = 0);

}  // namespace heddle::report
