#pragma once

#include <string>

#include "common/result.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// An error (kUsage) if the scenario has a phase that runs a program of the user's: nothing of the
/// kind is run that was not allowed, by the one who starts the run as by the worker.
inline Result<void> check_no_commands(const std::string& path, const Scenario& scenario) {
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      if (phase.kind == PhaseKind::kCommand)
        return usage_error(path + ": job \"" + job.name + "\", phase \"" + phase.name +
                           "\" runs the program \"" + phase.command[0] +
                           "\"; expected --allow-commands if it may");
  return {};
}

}  // namespace heddle
