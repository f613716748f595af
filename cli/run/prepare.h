#pragma once

#include <string>

#include "workloads/scenario_file.h"

namespace heddle::cli {

/// Reads a scenario and resolves it on this machine; warnings go to standard error.
Result<Scenario> prepare_scenario(const std::string& path, const Overrides& overrides);

/// The same for workers of other hosts: no factor may be `auto`.
Result<Scenario> prepare_stated(const std::string& path, const Overrides& overrides);

/// The same for virtual time, where nothing need fit a machine.
Result<Scenario> prepare_simulated(const std::string& path, const Overrides& overrides);

}  // namespace heddle::cli
