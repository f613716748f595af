#pragma once

#include <memory>

#include "cgroup/detect.h"
#include "cgroup/driver.h"

namespace heddle::cgroup {

/// Drivers whose home is the layout's group; REQUIRES: the layout is of that version.
std::unique_ptr<Driver> make_v1_driver(Layout home);
std::unique_ptr<Driver> make_v2_driver(Layout home);

/// Whichever fits the layout, after asking libcgroup whether it sees the same mounts.
Result<std::unique_ptr<Driver>> make_driver(Layout home);

/// Enables cpu, memory and pids for the children of a v2 group, writing only what isn't there yet;
/// returns what it enabled. EBUSY: the group holds processes. kMachine: a controller isn't
/// available there.
Result<std::vector<std::string>> enable_controllers(const std::string& directory);
/// Names of child groups of one directory, sorted.
Result<std::vector<std::string>> child_groups(const std::string& directory);

}  // namespace heddle::cgroup
