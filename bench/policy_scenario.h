#pragma once

#include <cstdint>

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// The size of a case of `heddle bench policy`.
struct PolicyLoad {
  int nodes = 10;
  int pending = 100;  ///< tasks of submitted jobs that hold no container, about
  PolicySpec policy;
  std::uint64_t seed = 1;
  int heartbeats = 20'000;  ///< to be measured
  /// All jobs are Spark's, of one stage: executors fill the nodes, so that none can be reserved for
  /// another.
  bool executors = false;

  /// Those before, in which the cluster fills and comes into a steady state.
  int warm_up() const { return std::max(2 * nodes, 1000); }
};

/// Policies that place executors by themselves have a second load, of executors alone.
bool has_executor_load(const PolicySpec& policy);

/// The scenario of `heddle bench policy`: nodes of 8 cores and 16 GiB in racks of 40, four queues
/// of different shares, and as many jobs as the measurement may need, drawn from the seed. Three
/// fifths of the jobs have 10 tasks, others 50, 200 and 1000 (49 on average); each has maps and a
/// tenth as many reduces, of half to two cores and 1 to 4 GiB each, and every third has its data on
/// 30 nodes. Every tenth job is a Spark job with executors of 2 or 4 cores, a tenth as many as
/// another has tasks; half of these are iterative. What the tasks do is not said: it is the
/// measurement that ends them. REQUIRES: at least a node and a heartbeat.
Scenario policy_scenario(const PolicyLoad& load);

}  // namespace heddle::bench
