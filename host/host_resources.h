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

/// Returns the resources that this process can use. The CPUs are limited by the process's affinity
/// and by the quotas and cpusets of its groups. The memory is limited by the groups' limits and by
/// MemAvailable. Limits of all visible ancestor groups count, on v1 and v2, and the smallest limit
/// applies. Reads files of /proc and of control groups only through `read`. A missing file sets no
/// limit. Sources: man 5 proc, man 7 cgroups, Documentation/admin-guide/cgroup-v2.rst.
HostResources host_resources(const FileReader& read);

/// Returns the most that this process can ever use: the same, but with all memory of the machine
/// instead of what is available at present.
HostResources host_capacity(const FileReader& read);

/// Does the same with the real files.
HostResources host_capacity();

/// Returns host_resources() of the real files. The scratch space is the free space of the file
/// system that contains the run directories.
HostResources host_resources();

/// Returns how many bytes this user can still write to the file system of a path. The path need not
/// exist yet.
real::Bytes free_space(const std::string& path);

/// Returns the directories of this process's groups and of their ancestors, in every cgroup mount.
/// In each mount, the process's own group comes first.
std::vector<std::string> group_directories(std::string_view self_cgroup,
                                           std::string_view mountinfo);

/// Returns the number of CPUs in a list such as "0-3,8". Returns 0 if the list is empty or
/// malformed.
int count_cpus(std::string_view list);

}  // namespace heddle::host
