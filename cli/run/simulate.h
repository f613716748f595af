#pragma once

#include "cli/run/run.h"

namespace heddle::cli {

/// `heddle simulate`: the scenario in virtual time, into the same files as a run writes and with
/// the same exit status. Nothing is started, and nothing need fit this machine.
int simulate_command(const RunOptions& options);

}  // namespace heddle::cli
