#pragma once

#include "cli/run/run.h"

namespace heddle::cli {

/// Checks the options for workers that other hosts start. Error: kUsage.
Result<void> check_hosts(const RunOptions& options);

/// Checks that a resolved scenario can be run for real with these options. Error: kUsage.
Result<void> check_runnable(const RunOptions& options, const Scenario& scenario);

}  // namespace heddle::cli
