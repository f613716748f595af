#pragma once

#include <string>

#include "workloads/scenario_file.h"

namespace heddle::cli {

/// The option with which heddle-trace prints the format of a file.
inline constexpr const char* kFormatOf = "--format-of";

/// Reads a scenario and resolves it on this machine. Prints warnings on standard error.
Result<Scenario> prepare_scenario(const std::string& path, const Overrides& overrides);

/// Does the same for a run whose workers are on other hosts. The scenario must state all factors,
/// without `auto`.
Result<Scenario> prepare_stated(const std::string& path, const Overrides& overrides);

/// Does the same for a simulation, which does not have to fit this machine.
Result<Scenario> prepare_simulated(const std::string& path, const Overrides& overrides);

}  // namespace heddle::cli
