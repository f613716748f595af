#include "cli/prepare.h"

#include "cli/exit_status.h"
#include "cli/machine_room.h"
#include "core/scenario/resolve.h"

namespace heddle {
namespace {

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) say("warning: " + warning);
}

}  // namespace

Result<Scenario> prepare_scenario(const std::string& path, const Overrides& overrides) {
  Result<CheckedScenario> read = read_scenario(path, overrides);
  if (!read) return std::move(read).error();
  warn(read->warnings);
  Result<CheckedScenario> resolved = resolve(read->scenario, machine_room());
  if (!resolved) return std::move(resolved).error().in(path);
  warn(resolved->warnings);
  return std::move(resolved->scenario);
}

Result<Scenario> prepare_simulated(const std::string& path, const Overrides& overrides) {
  Result<CheckedScenario> read = read_scenario(path, overrides);
  if (!read) return std::move(read).error();
  warn(read->warnings);
  warn(unknown_work(read->scenario));
  return resolve_simulated(read->scenario);
}

}  // namespace heddle
