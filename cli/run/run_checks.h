#pragma once

#include "cli/run/run.h"

namespace heddle::cli {

/// Checks the options for workers that other hosts start. Error: kUsage.
Result<void> check_hosts(const RunOptions& options);

/// Returns the options for a real run of the scenario, which is one of several runs. The user of
/// tasks can be for programs of other runs, so a run without commands and programs does not get it.
RunOptions options_for(RunOptions options, const Scenario& scenario);
/// Checks that a resolved scenario can be run for real with these options. Error: kUsage.
Result<void> check_runnable(const RunOptions& options, const Scenario& scenario);

}  // namespace heddle::cli
