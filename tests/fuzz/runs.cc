#include "tests/fuzz/runs.h"

#include "common/file.h"
#include "core/resolve.h"
#include "tests/fuzz/targets.h"
#include "workloads/scenario_file.h"

namespace heddle::fuzz {

const std::string& run_text() {
  static const std::string text = [] {
    Result<std::string> read = read_file(HEDDLE_CORPUS "/scenario/run.yaml");
    if (!read) require(false, read.error().text.c_str());
    return *std::move(read);
  }();
  return text;
}

Scenario run_scenario(const std::string& policy) {
  Overrides overrides;
  overrides.policy = policy;
  const Result<CheckedScenario> read =
      workloads::read_scenario_text(run_text(), "run.yaml", overrides);
  if (!read) require(false, read.error().text.c_str());
  return resolve_simulated(read->scenario);
}

}  // namespace heddle::fuzz
