#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cgroup/driver.h"
#include "common/result.h"

namespace heddle::cgroup {

/// One mounted hierarchy and a group in it.
struct Hierarchy {
  std::vector<std::string> controllers;  ///< of ours; on v2 empty (a group's own file lists them)
  std::string mount;                     ///< mount point
  std::string path;                      ///< group below the mount, "/" or "/a/b"
  friend bool operator==(const Hierarchy&, const Hierarchy&) = default;
};

/// The hierarchies that we use and one group in each: the caller's own, or a home.
struct Layout {
  Version version = Version::kV2;
  std::vector<Hierarchy> hierarchies;  ///< v1: cpu's first, each once; v2: one
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Directory of the layout's group in a hierarchy, without a slash at the end.
std::string directory_of(const Hierarchy& hierarchy);

/// Reads /proc/self/mounts and /proc/self/cgroup. v1 (hybrid too) if cpu, cpuacct, memory, freezer
/// and pids are all on v1 hierarchies, v2 if none is and cgroup2 is mounted. Where a hierarchy is
/// mounted several times the first counts, as for libcgroup. Error (kMachine): no control groups
/// mounted, or controllers split between v1 and v2, or one missing.
Result<Layout> detect(std::string_view mounts, std::string_view self_cgroup);

/// One line of text that names the layout's groups, "v2:/a" or "v1:cpu=/a;memory=/b;…"; where they
/// are mounted is not in it. layout_at reads it back into a layout of the same machine, `here`;
/// kUsage if it isn't such a text, kMachine if this machine's hierarchies are others.
std::string address_of(const Layout& layout);
bool is_address(std::string_view text);
Result<Layout> layout_at(std::string_view address, Layout here);

/// detect() on this process's files.
Result<Layout> detect_here();

}  // namespace heddle::cgroup
