#pragma once

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// The size of a simulation, and the options that make it expensive.
struct SimLoad {
  int nodes = 100;
  int tasks_per_node = 10;
  Dispatch dispatch = Dispatch::kHeartbeat;
  PolicySpec policy = {};
  /// Number of equal queues. All jobs of a queue come before the jobs of the next queue.
  int queues = 1;
  bool journal_heartbeats = true;
  bool masters = false;  ///< every job has an application master
  bool prefer = false;   ///< every third phase prefers certain nodes
};

/// Returns the scenario of `heddle bench sim`. There are nodes of 8 cores and 16 GiB in racks of
/// 40, and nodes x tasks_per_node tasks. Each job has 90 maps and 10 reduces. If the division
/// leaves a remainder, the last job is smaller. Tasks have 1 core, 1, 2 or 3 GiB, and lognormal cpu
/// (mean 20 s, cv 0.5). Jobs are submitted evenly over 30 s. With 10 tasks per node, the cluster is
/// nearly full. With 50 tasks per node, jobs wait for minutes. The emulation is resolved (no
/// `auto`). REQUIRES: there is at least one node, one task and one queue.
Scenario sim_scenario(const SimLoad& load);

}  // namespace heddle::bench
