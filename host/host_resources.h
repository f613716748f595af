#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/resolve.h"

namespace heddle::host {

/// The text of a file, or nullopt where there is none to read.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// What this process may use: CPUs by its affinity and by the quotas and cpusets of its groups,
/// memory by their limits and MemAvailable; of each the smallest over all ancestor groups that are
/// visible here, v1 and v2. Reads /proc and cgroup files through `read` alone; a file that is
/// missing limits nothing. Sources: man 5 proc, man 7 cgroups,
/// Documentation/admin-guide/cgroup-v2.rst.
HostResources host_resources(const FileReader& read);

/// The same for the real files; scratch space is that where runs have their directories.
HostResources host_resources();

/// What this user may still write to the file system that the path is on, or will be.
real::Bytes free_space(const std::string& path);

/// Directories of this process's groups and their ancestors, own first, of every cgroup mount.
std::vector<std::string> group_directories(std::string_view self_cgroup,
                                           std::string_view mountinfo);

/// Number of CPUs in a list such as "0-3,8"; 0 if it is empty or no list.
int count_cpus(std::string_view list);

}  // namespace heddle::host
