#pragma once

#include <string>

#include "workloads/scenario_file.h"

namespace heddle::cli {

/// Reads a scenario and resolves it on this machine; warnings are printed on standard error.
Result<Scenario> prepare_scenario(const std::string& path, const Overrides& overrides);

/// Does the same for workers on other hosts: no factor may be `auto`.
Result<Scenario> prepare_stated(const std::string& path, const Overrides& overrides);

/// Does the same for virtual time, where nothing has to fit a machine.
Result<Scenario> prepare_simulated(const std::string& path, const Overrides& overrides);

}  // namespace heddle::cli
