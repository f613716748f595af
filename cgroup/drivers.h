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

// Shared by the drivers. Errors name what was done to which group.

Error in_group(Error error, const std::string& verb, const std::string& group);
template <class T>
Result<T> in_group(Result<T> result, const std::string& verb, const std::string& group) {
  if (result) return result;
  return in_group(std::move(result).error(), verb, group);
}
/// The error for a file of the group that holds something else than it should.
Error unreadable(const std::string& group, const std::string& file, const std::string& text);
/// The number in a file of the group that was read.
Result<std::int64_t> number_in(Result<std::string> text, const std::string& group,
                               const std::string& file);
/// Likewise the limit; nullopt: none.
Result<std::optional<std::int64_t>> limit_in(Result<std::string> text, const std::string& group,
                                             const std::string& file);
/// The result of writing to a file of the group. A file that the group lacks is an error of this
/// machine.
Result<void> changed(const Driver& driver, Result<void> written, const std::string& group);

/// A group and all below it, parents first. A group that can't be listed has none below it: it is
/// gone, or its removal will tell.
std::vector<std::string> group_tree(const Driver& driver, const std::string& group);

/// Enables cpu, memory and pids for the children of a v2 group, writing only what isn't there yet;
/// returns what it enabled. EBUSY: the group holds processes. kMachine: a controller isn't
/// available there.
Result<std::vector<std::string>> enable_controllers(const std::string& directory);
/// Names of child groups of one directory, sorted.
Result<std::vector<std::string>> child_groups(const std::string& directory);

}  // namespace heddle::cgroup
