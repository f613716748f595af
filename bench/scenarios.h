#pragma once

#include <algorithm>
#include <cstdint>

#include "core/scenario/scenario.h"

namespace heddle::bench {

/// Number of bytes in a GiB.
inline constexpr std::int64_t kGib = 1LL << 30;

/// Returns a scenario with this core_fraction and memory_scale, and with `nodes` nodes, named n1,
/// n2 and so on. Containers are allowed to use the whole capacity of a node. There are no queues
/// and no jobs.
Scenario scenario_of(const char* name, double core_fraction, double memory_scale,
                     std::int64_t nodes, const Resources& capacity);
QueueSpec& add_queue(const std::string& name, Scenario& scenario);
PhaseSpec phase_of(const char* name, PhaseKind kind, int tasks, const Resources& request);

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

/// Returns rigid jobs on 100 processors, whose walltimes are one to four times as long as they run,
/// in a simulation that is ideal. Their load is about 0.8: queues get long at times. Sizes are 1 to
/// 40 processors, times are lognormal. The emulation is resolved. REQUIRES: at least one job.
Scenario rigid_scenario(int jobs);
/// Returns jobs of one task that are submitted ten a second, on 100 nodes of 65 cores. The tasks
/// take 1000 s on average (exponential), so the queue gets longer. The emulation is resolved.
/// REQUIRES: at least one job.
Scenario one_task_scenario(int jobs);

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

/// Returns the scenario of `heddle bench policy`. The nodes are those of sim_scenario(). There are
/// four queues with different shares, and enough jobs for the measurement, drawn from the seed.
/// Three fifths of the jobs have 10 tasks, the others 50, 200 or 1000 (49 on average). A job has
/// maps, and one reduce for every ten maps. Each task has 0.5 to 2 cores and 1 to 4 GiB. Every
/// third job has its data on 30 nodes. Every tenth job is a Spark job with executors of 2 or 4
/// cores. A Spark job has one executor for every ten tasks that it would have as another job. Half
/// of the Spark jobs are iterative. Tasks have no work, because the measurement decides when they
/// end. REQUIRES: there is at least one node and one heartbeat.
Scenario policy_scenario(const PolicyLoad& load);

}  // namespace heddle::bench
