#pragma once

#include "core/scenario/yaml/reader.h"

namespace heddle::workloads {

/// read_scenario and read_scenario_text of core/scenario/yaml/reader.h, with the named workloads
/// and the policies that Heddle ships.
Result<CheckedScenario> read_scenario(const std::string& path, const Overrides& overrides = {});
Result<CheckedScenario> read_scenario_text(std::string_view text, const std::string& filename,
                                           const Overrides& overrides = {});

}  // namespace heddle::workloads
