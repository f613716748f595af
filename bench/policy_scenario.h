#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// The size of a case of `heddle bench policy`.
struct PolicyLoad {
  int nodes = 10;
  int pending = 100;  ///< about the number of tasks in submitted jobs without a container
  PolicySpec policy;
  std::uint64_t seed = 1;
  int heartbeats = 20'000;  ///< number to measure
  /// All jobs are Spark jobs of one stage. Executors fill the nodes, so that no node can be
  /// reserved for another.
  bool executors = false;

  /// Heartbeats before the measurement, in which the cluster fills and reaches a steady state.
  int warm_up() const { return std::max(2 * nodes, 1000); }
};

/// Returns whether the policy places executors by itself. Such policies have a second load, with
/// executors only.
bool has_executor_load(const PolicySpec& policy);

/// Returns the scenario of `heddle bench policy`: nodes of 8 cores and 16 GiB in racks of 40, four
/// queues with different shares, and as many jobs as the measurement may need, drawn from the seed.
/// Three fifths of the jobs have 10 tasks, the others 50, 200 and 1000 (49 on average). Each job
/// has maps and a tenth as many reduces, of 0.5 to 2 cores and 1 to 4 GiB each, and every third job
/// has its data on 30 nodes. Every tenth job is a Spark job with executors of 2 or 4 cores, a tenth
/// as many as another job has tasks; half of these jobs are iterative. The work of tasks is not
/// given, because the measurement ends them. REQUIRES: at least one node and one heartbeat.
Scenario policy_scenario(const PolicyLoad& load);

}  // namespace heddle::bench
