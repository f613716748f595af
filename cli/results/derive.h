#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle::cli {

/// Makes all files of a result directory that are derived from its others, but for summary.json,
/// in place of those that are there: run.sqlite, timeline.json. `scenario`: the directory's.
Result<void> write_derived(const std::string& dir, const Scenario& scenario);

/// The same at the end of a run, whose results are there, with its exit status so far; the one to
/// end with. REQUIRES: take_signals() was called.
///
/// It is done in a process of its own, so that Ctrl-C ends it at once and no trouble of it touches
/// the run: a failure is a warning, and loses nothing that could not be made again. After an
/// interrupt nothing is made.
int derive_at_end(const std::string& dir, const Scenario& scenario, int status, bool quiet);

}  // namespace heddle::cli
