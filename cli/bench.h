#pragma once

#include <string>
#include <vector>

#include "bench/sim_scenario.h"

namespace heddle {

/// What `heddle bench sim` measures: each policy at each number of nodes.
struct SimBenchOptions {
  std::vector<std::string> schedulers;  ///< policies, as --policy has them; none: every scheduler
  std::vector<int> nodes = {100, 1000, 10000};
  std::string dispatch = "heartbeat";
  SimLoad load;  ///< the rest
  bool json = false;
};

/// `heddle bench sim`: prints what simulations cost (bench/sim_bench.h).
int sim_bench_command(const SimBenchOptions& options);

}  // namespace heddle
