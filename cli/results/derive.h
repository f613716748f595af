#pragma once

#include <optional>
#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::cli {

/// The derived files of a result directory: run.sqlite, timeline.json and report.html, or only the
/// last, the page.
enum class DerivedFiles { kAll, kPage };

/// Makes derived files at the end of a run. Replaces existing files. `scenario`: the scenario of
/// the directory. `status` is the exit status of the run. Returns the final exit status. REQUIRES:
/// the results of the run are written, and take_signals() was called.
///
/// A separate process makes the files. Ctrl-C therefore ends the work at once, and a failure does
/// not affect the run. A failure is only a warning, because the files can be made again. If the run
/// was interrupted, no files are made.
int derive_at_end(const std::string& dir, const Scenario& scenario, DerivedFiles files, int status,
                  bool quiet);

/// Says that derived files of a simulation are not made yet, and how to make them. `made`:
/// the files that are made already, or nullopt if there are none.
void say_made_later(const std::string& dir, std::optional<DerivedFiles> made);

}  // namespace heddle::cli
