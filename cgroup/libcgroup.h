#pragma once

#include <string>

#include "common/result.h"

/// The part of libcgroup 2.0 that we use, with errors as values. Its hazards, met here:
/// - its log goes to standard output: switched off;
/// - a group has one path for all controllers, but a process's own group differs between v1
///   hierarchies: each call is for one controller;
/// - create makes missing parents, too: checked before;
/// - create on v2 writes cgroup.subtree_control of every group between the mount point and the new
///   one: refused to a user whose delegated subtree lies deeper, as systemd's do ("group parameter
///   does not exist"), and not ours to change: the v2 driver makes directories itself;
/// - delete moves processes to the parent unless told not to, and then reports success for a group
///   that is not empty: checked after;
/// - most error codes hide errno: it is found again by looking.
namespace heddle::cgroup::library {

/// Checks that libcgroup finds `controller` where we do. Error: kMachine.
Result<void> find(const std::string& controller, const std::string& mount);

/// Makes a v1 group, its parent being there; EEXIST counts as success. `path` is below the mount.
Result<void> make(const std::string& controller, const std::string& mount, const std::string& path);

/// Removes a group of either version; not there: success. EBUSY: it holds processes or children.
Result<void> remove(const std::string& controller, const std::string& mount,
                    const std::string& path);

}  // namespace heddle::cgroup::library
