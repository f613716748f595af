#pragma once

#include "core/scenario/scenario.h"

namespace heddle::master {

/// Returns a scenario for a master without sockets. It has nodes n1 and n2, with one core and 4 GiB
/// each. An emulated second lasts 0.1 real seconds, and an emulated core is a tenth of a CPU. Job
/// "j" has one phase "map" with `tasks` tasks of one core and 1 GiB.
inline Scenario small_run(int tasks) {
  Scenario scenario;
  scenario.name = "small";
  scenario.emulation.time_scale = scenario.emulation.core_fraction = 0.1;
  scenario.emulation.memory_scale = 0.01;
  for (const char* name : {"n1", "n2"}) {
    NodeSpec node;
    node.name = name;
    node.capacity = node.allowance = {Millicores(1000), EmuBytes(4LL << 30)};
    scenario.cluster.nodes.push_back(node);
  }
  PhaseSpec phase;
  phase.name = "map";
  phase.tasks = tasks;
  phase.request = {Millicores(1000), EmuBytes(1LL << 30)};
  JobSpec job;
  job.name = "j";
  job.phases = {phase};
  scenario.jobs.push_back(job);
  return scenario;
}

}  // namespace heddle::master
