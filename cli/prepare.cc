#include "cli/prepare.h"

#include "cli/exit_status.h"
#include "cli/machine_room.h"
#include "core/scenario/resolve.h"

namespace heddle {
namespace {

void warn(const CheckedScenario& checked) {
  for (const std::string& warning : checked.warnings) say("warning: " + warning);
}

}  // namespace

Result<Scenario> prepare_scenario(const std::string& path, const Overrides& overrides) {
  Result<CheckedScenario> read = read_scenario(path, overrides);
  if (!read) return std::move(read).error();
  warn(*read);
  Result<CheckedScenario> resolved = resolve(read->scenario, machine_room());
  if (!resolved) return std::move(resolved).error().in(path);
  warn(*resolved);
  return std::move(resolved->scenario);
}

Result<Scenario> prepare_simulated(const std::string& path, const Overrides& overrides) {
  Result<CheckedScenario> read = read_scenario(path, overrides);
  if (!read) return std::move(read).error();
  warn(*read);
  return resolve_simulated(read->scenario);
}

}  // namespace heddle
