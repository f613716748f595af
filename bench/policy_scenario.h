#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// The size of a case of `heddle bench policy`.
struct PolicyLoad {
  int nodes = 10;
  int pending = 100;  ///< about this number of tasks in submitted jobs have no container
  PolicySpec policy = {};
  std::uint64_t seed = 1;
  int heartbeats = 20'000;  ///< number of heartbeats to measure
  /// All jobs are Spark jobs of one stage. Executors fill the nodes, so no node can be reserved for
  /// another executor.
  bool executors = false;

  /// Returns the number of heartbeats before the measurement. During them, the cluster fills and
  /// reaches a steady state.
  int warm_up() const { return std::max(2 * nodes, 1000); }
};

/// Returns whether the policy places executors in its own way. Such policies are also measured with
/// a second load, which has only executors.
bool has_executor_load(const PolicySpec& policy);

/// Returns the scenario of `heddle bench policy`. There are nodes of 8 cores and 16 GiB in racks of
/// 40, and four queues with different shares. There are enough jobs for the measurement, drawn from
/// the seed. Three fifths of the jobs have 10 tasks, the others 50, 200 or 1000 (49 on average). A
/// job has maps, and one reduce for every ten maps. Each task has 0.5 to 2 cores and 1 to 4 GiB.
/// Every third job has its data on 30 nodes. Every tenth job is a Spark job with executors of 2 or
/// 4 cores. A Spark job has one executor for every ten tasks that it would have as another job.
/// Half of the Spark jobs are iterative. Tasks have no work, because the measurement decides when
/// they end. REQUIRES: there is at least one node and one heartbeat.
Scenario policy_scenario(const PolicyLoad& load);

}  // namespace heddle::bench
