#pragma once

#include <string>
#include <vector>

#include "cgroup/driver.h"
#include "cgroup/ownership.h"

namespace heddle::host {

/// What sweeping up after dead runs did; sentences.
struct Swept {
  std::vector<std::string> removed;
  std::vector<std::string> failed;
  std::vector<std::string> left;  ///< control groups that nothing shows to be ours
  std::vector<std::string> held;  ///< control groups that a living process of elsewhere holds
  int live = 0;                   ///< runs that are alive and were left alone
};

/// Removes what dead runs left: of each run directory in `bases` (base_directories) whose lock is
/// free, its processes if any is left, its groups as far as they are provably ours, and, if no
/// group is left, the directory. Runs whose lock is held are not touched.
Swept sweep_dead_runs(const std::vector<std::string>& bases);

/// Removes the groups heddle-* of the driver's home that no run directory in `bases` knows and that
/// are provably ours and dead (cgroup/ownership.h); names the others.
void sweep_stray_groups(cgroup::Driver& driver, const std::vector<std::string>& bases,
                        Swept& swept);

/// Says of a group that was left why, and for one that is not provably ours the command that
/// removes it.
std::string describe(const cgroup::Driver& driver, const cgroup::LeftGroup& left);
/// The same of several, in one line.
std::string describe(const cgroup::Driver& driver, const std::vector<cgroup::LeftGroup>& left);

}  // namespace heddle::host
