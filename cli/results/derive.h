#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::cli {

/// Makes the derived files of a result directory, except summary.json, and replaces existing ones:
/// run.sqlite, timeline.json, report.html. `scenario`: the directory's.
Result<void> write_derived(const std::string& dir, const Scenario& scenario);

/// Makes the derived files at the end of a run whose results are written. `status` is the exit
/// status so far; returns the final one. REQUIRES: take_signals() was called.
///
/// A separate process makes the files, so Ctrl-C ends it at once and its failures do not affect the
/// run. A failure is a warning, because the files can be made again. After an interrupt nothing is
/// made.
int derive_at_end(const std::string& dir, const Scenario& scenario, int status, bool quiet);

}  // namespace heddle::cli
