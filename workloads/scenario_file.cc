#include "workloads/scenario_file.h"

#include "core/policy/registry.h"
#include "workloads/catalogue/catalogue.h"

namespace heddle::workloads {

Result<CheckedScenario> read_scenario(const std::string& path, const Overrides& overrides) {
  return read_scenario(kWorkloadTable, kPolicyTable, path, overrides);
}

Result<CheckedScenario> read_scenario_text(std::string_view text, const std::string& filename,
                                           const Overrides& overrides) {
  return read_scenario_text(kWorkloadTable, kPolicyTable, text, filename, overrides);
}

}  // namespace heddle::workloads
