#pragma once

#include <string>

#include "core/scenario/scenario.h"

namespace heddle::trace {

/// A workload of Batsim, and how many jobs it lacks because they are not rigid.
struct BatsimWorkload {
  std::string json;
  std::size_t left_out = 0;
};

/// Returns the rigid jobs of a resolved scenario as a workload of Batsim, version 4, that
/// import_batsim() reads as the same jobs. The profile of a job is a delay: the time of its longest
/// task. A resource is a node.
BatsimWorkload batsim_workload(const Scenario& scenario);

}  // namespace heddle::trace
