#pragma once

#include <memory>

#include "cgroup/detect.h"
#include "cgroup/driver.h"

namespace heddle::cgroup {

/// Make drivers whose home is the layout's group. REQUIRES: the layout is of that version.
std::unique_ptr<Driver> make_v1_driver(Layout home);
std::unique_ptr<Driver> make_v2_driver(Layout home);

/// Makes the driver that fits the layout, after checking that libcgroup finds the same mounts.
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
/// Returns the limit in the text that was read from a file of the group; nullopt: no limit.
Result<std::optional<std::int64_t>> limit_in(Result<std::string> text, const std::string& group,
                                             const std::string& file);
/// Returns the result of writing to a file of the group. If the group lacks the file, the error is
/// kMachine.
Result<void> changed(const Driver& driver, Result<void> written, const std::string& group);

/// Returns a group and all groups below it, parents first. Treats a group that can't be listed as
/// one without children: it is gone, or its removal will fail with the reason.
std::vector<std::string> group_tree(const Driver& driver, const std::string& group);

/// Enables cpu, memory and pids for the children of a v2 group, unless they are enabled already.
/// Returns the controllers that it enabled. Error code EBUSY: the group holds processes. kMachine:
/// a controller isn't available there.
Result<std::vector<std::string>> enable_controllers(const std::string& directory);
/// Returns the names of the child groups of one directory, sorted.
Result<std::vector<std::string>> child_groups(const std::string& directory);

}  // namespace heddle::cgroup
