#pragma once

#include <string>
#include <vector>

#include "cgroup/driver.h"
#include "cgroup/ownership.h"

namespace heddle::host {

/// Result of removing what dead runs left. The texts are sentences for the user.
struct Swept {
  std::vector<std::string> removed;
  std::vector<std::string> failed;
  std::vector<std::string> left;  ///< control groups that are not provably ours
  std::vector<std::string> held;  ///< control groups that a living process holds
  int live = 0;                   ///< number of runs that are alive and were not touched
};

/// Removes what dead runs left. A run is dead if the lock of its directory in `bases`
/// (base_directories) is free. For each dead run, kills its remaining processes and removes its
/// groups that are provably ours. If no group is left, also removes the directory. Does not touch
/// runs whose lock is held.
Swept sweep_dead_runs(const std::vector<std::string>& bases);

/// Removes the groups heddle-* of the driver's home that do not belong to a run directory in
/// `bases`, if they are provably ours and dead (cgroup/ownership.h). Adds the result for each group
/// to `swept`.
void sweep_stray_groups(cgroup::Driver& driver, const std::vector<std::string>& bases,
                        Swept& swept);

/// Returns a text that says why a group was not removed. If the group is not provably ours, the
/// text also gives the command that removes it.
std::string describe(const cgroup::Driver& driver, const cgroup::LeftGroup& left);
/// Returns the texts for several groups, in one line.
std::string describe(const cgroup::Driver& driver, const std::vector<cgroup::LeftGroup>& left);

}  // namespace heddle::host
