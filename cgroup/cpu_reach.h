#pragma once

#include <string>
#include <vector>

#include "cgroup/detect.h"
#include "cgroup/driver.h"

/// How far the CPU weight of a run's group acts. A weight acts among siblings only. So the weight
/// of a group protects from the programs in the group's parent, and further up only while the
/// parent has such a weight, too (Documentation/admin-guide/cgroup-v2.rst, Weights).
namespace heddle::cgroup {

/// A group and its weight among its siblings.
struct GroupWeight {
  std::string group;  ///< path below the mount point, such as "/user.slice"
  CpuWeight weight;
  friend bool operator==(const GroupWeight&, const GroupWeight&) = default;
};

/// Returns the weights of a group and of the groups above it, nearest first. Leaves out the root
/// and groups that share no CPU with siblings, because their parent has no cpu controller for them.
std::vector<GroupWeight> weights_from(const Layout& group);

/// Returns the group in which the weight of a run acts: "/" if it acts in all groups that this
/// process sees. `home_and_above`: the home of the run's group, and the groups above. Pure.
std::string cpu_reach(const std::vector<GroupWeight>& home_and_above);

/// Returns the reach of a run that this user starts in a scope of systemd (scope_command).
std::string scope_cpu_reach(const Layout& own, bool root);

}  // namespace heddle::cgroup
