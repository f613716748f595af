#pragma once

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// The size of a simulation, and the options that make it expensive.
struct SimLoad {
  int nodes = 100;
  int tasks_per_node = 10;
  Dispatch dispatch = Dispatch::kHeartbeat;
  PolicySpec policy;
  int queues = 1;  ///< equal queues; all jobs of one queue come before those of the next
  bool journal_heartbeats = true;
  bool masters = false;  ///< every job has an application master
  bool prefer = false;   ///< every third phase prefers certain nodes
};

/// Returns the scenario of `heddle bench sim`: nodes of 8 cores and 16 GiB in racks of 40, and
/// nodes x tasks_per_node tasks. Jobs have 90 maps and 10 reduces (the last job is smaller if the
/// division leaves a remainder). Tasks have 1 core, 1, 2 or 3 GiB and lognormal cpu (mean 20 s, cv
/// 0.5). Jobs are submitted evenly over 30 s. With 10 tasks per node the cluster is nearly full;
/// with 50, jobs queue for minutes. Emulation is resolved (no `auto`). REQUIRES: at least one node,
/// task and queue.
Scenario sim_scenario(const SimLoad& load);

}  // namespace heddle::bench
