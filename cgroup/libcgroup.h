#pragma once

#include <string>

#include "common/result.h"

/// The part of libcgroup 2.0 that we use, with errors as values. The functions work around these
/// problems of libcgroup:
/// - The log goes to standard output. We switch it off.
/// - A group has one path for all controllers, but on v1 a process can be in a different group in
///   each hierarchy. Each of our calls is for one controller.
/// - create makes missing parents. make() first checks that the parent exists.
/// - create on v2 writes cgroup.subtree_control of every group between the mount point and the new
///   group. We must not change groups above our home, and users have no permission for groups above
///   their delegated subtree ("group parameter does not exist"). Therefore the v2 driver makes
///   directories itself.
/// - delete by default moves processes to the parent. With the option not to do so, it reports
///   success even if the group is not empty. remove() checks afterwards.
/// - Most error codes do not contain errno. errno_behind() and access(2) find it.
namespace heddle::cgroup::library {

/// Checks that libcgroup and Heddle find `controller` at the same mount point. Error: kMachine.
Result<void> find(const std::string& controller, const std::string& mount);

/// Makes a v1 group. The parent must exist. Succeeds if the group exists. `path` is below the
/// mount.
Result<void> make(const std::string& controller, const std::string& mount, const std::string& path);

/// Removes a group of either version. Succeeds if the group does not exist. Error code EBUSY: the
/// group has processes or children.
Result<void> remove(const std::string& controller, const std::string& mount,
                    const std::string& path);

}  // namespace heddle::cgroup::library
