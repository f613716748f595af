#pragma once

#include <memory>

#include "cgroup/detect.h"
#include "cgroup/driver.h"

namespace heddle::cgroup {

/// Make a driver for v1 or v2. The driver's home is the layout's group. REQUIRES: the layout has
/// the same version.
std::unique_ptr<Driver> make_v1_driver(Layout home);
std::unique_ptr<Driver> make_v2_driver(Layout home);

/// Checks that libcgroup finds the same mounts, and makes the driver for the layout's version.
Result<std::unique_ptr<Driver>> make_driver(Layout home);

// Functions shared by the drivers. Errors name the operation and the group.

Error in_group(Error error, const std::string& verb, const std::string& group);
template <class T>
Result<T> in_group(Result<T> result, const std::string& verb, const std::string& group) {
  if (result) return result;
  return in_group(std::move(result).error(), verb, group);
}
/// Returns the error for a file of the group with unexpected contents.
Error unreadable(const std::string& group, const std::string& file, const std::string& text);
/// Returns the number in the text that was read from a file of the group.
Result<std::int64_t> number_in(Result<std::string> text, const std::string& group,
                               const std::string& file);
/// Returns the limit in the text that was read from a file of the group, or nullopt if there is no
/// limit.
Result<std::optional<std::int64_t>> limit_in(Result<std::string> text, const std::string& group,
                                             const std::string& file);
Result<real::Bytes> bytes_in(Result<std::int64_t> number);
/// Returns parse_cache of the text that was read from a group's memory.stat.
Result<real::Bytes> cache_in(Result<std::string> text, const std::string& group, Version version);
/// Returns the result of writing to a file of the group. If the group lacks the file, the error is
/// kMachine.
Result<void> changed(const Driver& driver, Result<void> written, const std::string& group);

/// Returns a group and all groups below it, parents first. If the children of a group can't be
/// listed, treats the group as one without children. Such a group is gone, or its later removal
/// fails and reports the reason.
std::vector<std::string> group_tree(const Driver& driver, const std::string& group);

/// Enables cpu, memory and pids for the children of a v2 group, unless they are enabled already.
/// Returns the controllers that it enabled. Errors: code EBUSY if the group contains processes,
/// kMachine if a controller isn't available in the group.
Result<std::vector<std::string>> enable_controllers(const std::string& directory);
/// Returns the names of the child groups of one directory, sorted.
Result<std::vector<std::string>> child_groups(const std::string& directory);

}  // namespace heddle::cgroup
