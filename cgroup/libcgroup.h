#pragma once

#include <string>

#include "common/result.h"

/// The part of libcgroup 2.0 that we use, with errors as values. The functions work around these
/// hazards:
/// - The log goes to standard output: it is switched off.
/// - A group has one path for all controllers, but a process's own group differs between v1
///   hierarchies: each call is for one controller.
/// - create makes missing parents: make() checks for the parent first.
/// - create on v2 writes cgroup.subtree_control of every group between the mount point and the new
///   one. These are not ours to change, and a user whose delegated subtree lies deeper, as
///   systemd's do, is refused ("group parameter does not exist"). So the v2 driver makes
///   directories itself.
/// - delete moves processes to the parent unless told not to, and then reports success for a group
///   that is not empty: remove() checks afterwards.
/// - Most error codes hide errno: errno_behind() and access(2) find it again.
namespace heddle::cgroup::library {

/// Checks that libcgroup finds `controller` at the mount point where we do. Error: kMachine.
Result<void> find(const std::string& controller, const std::string& mount);

/// Makes a v1 group. The parent must exist. Succeeds if the group exists. `path` is below the
/// mount.
Result<void> make(const std::string& controller, const std::string& mount, const std::string& path);

/// Removes a group of either version. Succeeds if the group does not exist. Error code EBUSY: the
/// group holds processes or children.
Result<void> remove(const std::string& controller, const std::string& mount,
                    const std::string& path);

}  // namespace heddle::cgroup::library
