#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cgroup/driver.h"
#include "common/result.h"

namespace heddle::cgroup {

/// A mounted hierarchy and a group in it.
struct Hierarchy {
  std::vector<std::string> controllers;  ///< the controllers that we use; empty on v2
  std::string mount;                     ///< mount point
  std::string path;                      ///< group below the mount, "/" or "/a/b"
  friend bool operator==(const Hierarchy&, const Hierarchy&) = default;
};

/// The hierarchies that we use, and one group in each hierarchy. The group is the caller's own
/// group or a home.
struct Layout {
  Version version = Version::kV2;
  std::vector<Hierarchy> hierarchies;  ///< v1: each once, first that of cpu; v2: one
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Returns the directory of the layout's group in a hierarchy, without a slash at the end.
std::string directory_of(const Hierarchy& hierarchy);

/// Finds the hierarchies in the texts of /proc/self/mounts and /proc/self/cgroup. The version is v1
/// if cpu, cpuacct, memory, freezer and pids are all on v1 hierarchies, even if cgroup2 is mounted
/// too (hybrid). The version is v2 if none of these controllers is on a v1 hierarchy and cgroup2 is
/// mounted. If a hierarchy is mounted several times, uses the first mount, as libcgroup does. Error
/// (kMachine): no control groups are mounted, some controllers are on v1 and others on v2, or a
/// controller is missing.
Result<Layout> detect(std::string_view mounts, std::string_view self_cgroup);

/// address_of returns one line of text that names the layout's groups without their mount points:
/// "v2:/a" or "v1:cpu=/a;memory=/b;...". layout_at turns the text back into a layout on the same
/// machine. `here` is the layout of that machine. Errors: kUsage if the text is not an address,
/// kMachine if this machine has other hierarchies.
std::string address_of(const Layout& layout);
bool is_address(std::string_view text);
Result<Layout> layout_at(std::string_view address, Layout here);

/// Calls detect() with this process's files.
Result<Layout> detect_here();

}  // namespace heddle::cgroup
