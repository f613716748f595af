#pragma once

#include "core/scenario/yaml/reader.h"

namespace heddle::workloads {

/// Read a scenario as the functions of these names in core/scenario/yaml/reader.h do, with the
/// named workloads and the policies that Heddle ships.
Result<CheckedScenario> read_scenario(const std::string& path, const Overrides& overrides = {});
Result<CheckedScenario> read_scenario_text(std::string_view text, const std::string& filename,
                                           const Overrides& overrides = {});

}  // namespace heddle::workloads
