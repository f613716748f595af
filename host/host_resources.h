#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/resolve.h"

namespace heddle::host {

/// Returns the text of a file, or nullopt if it can't be read.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// Returns what this process may use: CPUs by its affinity and by the quotas and cpusets of its
/// groups; memory by the groups' limits and MemAvailable. The smallest bound over all ancestor
/// groups that are visible here counts, v1 and v2. Reads /proc and cgroup files through `read`
/// alone; a missing file sets no limit. Sources: man 5 proc, man 7 cgroups,
/// Documentation/admin-guide/cgroup-v2.rst.
HostResources host_resources(const FileReader& read);

/// Does the same with the real files. Scratch space is that of the run directories' file system.
HostResources host_resources();

/// Returns how much this user may still write to the file system of an existing or future path.
real::Bytes free_space(const std::string& path);

/// Returns the directories of this process's groups and their ancestors, own first, in every cgroup
/// mount.
std::vector<std::string> group_directories(std::string_view self_cgroup,
                                           std::string_view mountinfo);

/// Returns the number of CPUs in a list such as "0-3,8"; 0 if the list is empty or malformed.
int count_cpus(std::string_view list);

}  // namespace heddle::host
