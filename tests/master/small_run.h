#pragma once

#include "core/scenario/scenario.h"
#include "tests/support/cluster.h"
#include "tests/support/job.h"

namespace heddle::master {

/// Returns a scenario for a master without sockets. It has nodes n1 and n2, with one core and 4 GiB
/// each. An emulated second lasts 0.1 real seconds, and an emulated core is a tenth of a CPU. Job
/// "j" has one phase "map" with `tasks` tasks of one core and 1 GiB.
inline Scenario small_run(int tasks) {
  Scenario scenario = cluster_of(2, 1, 4);
  scenario.name = "small";
  scenario.cluster.dispatch = Dispatch::kHeartbeat;
  scenario.emulation.time_scale = scenario.emulation.core_fraction = 0.1;
  scenario.emulation.memory_scale = 0.01;
  scenario.jobs = {job_of("j", {phase_of("map", tasks)})};
  return scenario;
}

}  // namespace heddle::master
