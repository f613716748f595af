#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Returns an error (kUsage) if a phase of the scenario runs a user's program. Such a program runs
/// only if the user who starts the run and the worker both allow it.
inline Result<void> check_no_commands(const std::string& path, const Scenario& scenario) {
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      if (phase.kind == PhaseKind::kCommand)
        return usage_error(path + ": job \"" + job.name + "\", phase \"" + phase.name +
                           "\" runs the program \"" + phase.command[0] +
                           "\"; expected --allow-commands, which allows users' programs");
  return {};
}

}  // namespace heddle
