#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::cli {

/// The facts about a whole run that are in the journal of its result directory.
struct PastRun {
  std::string run;      ///< id of the run
  std::string journal;  ///< "full", "decisions"
};

/// Reads the journal. Errors (kUsage): the run cannot be resumed, because it was simulated, has
/// ended, or did not write heartbeats to its journal. Errors (kAborted): the journal is damaged
/// before its end.
Result<PastRun> past_run(const std::string& dir, const Scenario& scenario);

}  // namespace heddle::cli
