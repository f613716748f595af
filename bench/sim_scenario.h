#pragma once

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// How much there is to simulate, and what makes it hard.
struct SimLoad {
  int nodes = 100;
  int tasks_per_node = 10;
  Dispatch dispatch = Dispatch::kHeartbeat;
  PolicySpec policy;
  int queues = 1;  ///< equal ones; their jobs come one queue's after the other's
  bool journal_heartbeats = true;
  bool masters = false;  ///< every job has an application master
  bool prefer = false;   ///< every third phase prefers some nodes
};

/// The scenario of `heddle bench sim`: nodes of 8 cores and 16 GiB in racks of 40; nodes x
/// tasks_per_node tasks, in jobs of 90 maps and 10 reduces (the last job is smaller where they
/// don't come out even) of 1 core, 1, 2 or 3 GiB and lognormal cpu (mean 20 s, cv 0.5), submitted
/// evenly over 30 s. At 10 tasks a node the cluster is nearly full, at 50 jobs queue for minutes.
/// Emulation is resolved (no `auto`). REQUIRES: at least one node, task and queue.
Scenario sim_scenario(const SimLoad& load);

}  // namespace heddle::bench
