#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::cli {

/// The facts about a whole run that the journal in its result directory has.
struct PastRun {
  std::string run;      ///< id of the run
  std::string journal;  ///< "full", "decisions"
};

/// Reads the journal. Errors: a run that cannot be resumed because it was simulated, has ended or
/// kept no heartbeats (kUsage); a journal that is damaged elsewhere than at its end (kAborted).
Result<PastRun> past_run(const std::string& dir, const Scenario& scenario);

}  // namespace heddle::cli
