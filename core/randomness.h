#pragma once

#include "core/scenario/scenario.h"

namespace heddle {

/// Returns whether the seed can change what the job does: its tasks draw values, or its blocks and
/// copies are placed on drawn nodes.
bool draws(const JobSpec& job);

/// Returns whether two simulations of the scenario can differ: the seed changes what its jobs,
/// faults or policy do, or its policy is a program, which can do anything. The scenario does not
/// know whether its jobs themselves were drawn; see CheckedScenario::drawn_jobs.
bool depends_on_chance(const Scenario& scenario);

}  // namespace heddle
