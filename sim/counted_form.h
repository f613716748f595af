#pragma once

#include <optional>

#include "core/scenario/scenario.h"

namespace heddle::sim {

/// A scenario of rigid jobs with one container for all tasks of a job, on one node that has what
/// all nodes have. An ideal simulation of it starts and ends the same jobs at the same times,
/// without an object for each processor.
struct CountedForm {
  Scenario scenario;
  int per_node = 1;  ///< tasks that fit on one node of the original scenario
};

/// Returns nullopt if the scenario has no such form, because single tasks or nodes could differ, or
/// because decisions depend on single nodes. It has one if
/// - the simulation is ideal, dispatch is immediate, and there are no faults and no external loads,
/// - no quality of service preempts another,
/// - the policy is easy or conservative with `backfill: count` and without reservations,
/// - all nodes are equal, except for their names,
/// - all jobs are rigid, their tasks only sleep, for a constant time, and the same number of cores
///   is requested for each task, so that the tasks of a node request all its cores together.
std::optional<CountedForm> counted_form(const Scenario& scenario);

}  // namespace heddle::sim
