#pragma once

#include <string>
#include <vector>

#include "cgroup/driver.h"
#include "cgroup/ownership.h"

namespace heddle::host {

/// Result of removing what dead runs left, as sentences.
struct Swept {
  std::vector<std::string> removed;
  std::vector<std::string> failed;
  std::vector<std::string> left;  ///< control groups that nothing shows to be ours
  std::vector<std::string> held;  ///< control groups that a living process holds from elsewhere
  int live = 0;                   ///< runs that are alive and were left alone
};

/// Removes what dead runs left. Handles each run directory in `bases` (base_directories) whose lock
/// is free: kills the run's remaining processes, removes its groups as far as they are provably
/// ours, and removes the directory if no group is left. Does not touch runs whose lock is held.
Swept sweep_dead_runs(const std::vector<std::string>& bases);

/// Removes the groups heddle-* of the driver's home that no run directory in `bases` knows and that
/// are provably ours and dead (cgroup/ownership.h). Names the others in `swept`.
void sweep_stray_groups(cgroup::Driver& driver, const std::vector<std::string>& bases,
                        Swept& swept);

/// Returns why a group was left and, if it is not provably ours, the command that removes it.
std::string describe(const cgroup::Driver& driver, const cgroup::LeftGroup& left);
/// Returns the same for several groups, in one line.
std::string describe(const cgroup::Driver& driver, const std::vector<cgroup::LeftGroup>& left);

}  // namespace heddle::host
