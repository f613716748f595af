#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::cli {

/// Makes the derived files of a result directory, except summary.json: run.sqlite, timeline.json
/// and report.html. Replaces existing files. `scenario`: the scenario of the directory.
Result<void> write_derived(const std::string& dir, const Scenario& scenario);

/// Makes the derived files at the end of a run. `status` is the exit status of the run. Returns the
/// final exit status. REQUIRES: the results of the run are written, and take_signals() was called.
///
/// A separate process makes the files. Ctrl-C therefore ends the work at once, and a failure does
/// not affect the run. A failure is only a warning, because the files can be made again. If the run
/// was interrupted, no files are made.
int derive_at_end(const std::string& dir, const Scenario& scenario, int status, bool quiet);

/// Says that the derived files of a large simulation are not made yet, and how to make them.
void say_made_later(const std::string& dir);

}  // namespace heddle::cli
