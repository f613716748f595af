#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::cli {

/// What the journal in a result directory says of its run as a whole.
struct PastRun {
  std::string run;      ///< id
  std::string journal;  ///< "full", "decisions"
};

/// Errors: a run that can't be gone on with, since it was simulated, has ended or kept no
/// heartbeats (kUsage); a journal that is damaged elsewhere than at its end (kAborted).
Result<PastRun> past_run(const std::string& dir, const Scenario& scenario);

}  // namespace heddle::cli
