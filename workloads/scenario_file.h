#pragma once

#include "yaml/read.h"

namespace heddle::workloads {

/// Read a scenario in the same way as the functions of the same names in
/// yaml/read.h. Named workloads and all policies of Heddle are available.
Result<CheckedScenario> read_scenario(const std::string& path, const Overrides& overrides = {});
Result<CheckedScenario> read_scenario_text(std::string_view text, const std::string& filename,
                                           const Overrides& overrides = {});

}  // namespace heddle::workloads
