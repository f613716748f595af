#pragma once

#include "common/result.h"

namespace heddle::worker {

/// Makes a user namespace, in which this process has all capabilities and the ids that it had, and
/// enters it: so a user other than root can make namespaces for commands. Inside, no further user
/// namespace can be made. REQUIRES: one thread.
Result<void> enter_user_namespace();

/// Error (kMachine) if namespaces can't be had, with the remedy. REQUIRES: one thread.
Result<void> check_namespaces();

// What this machine can give commands, each tried in a process of its own. Errors are kMachine and
// say what failed. REQUIRES: one thread.

/// PID, IPC and mount namespaces, and the mounts that a command gets; in a user namespace if this
/// process is not root's.
Result<void> try_namespaces();
/// An empty capability bounding set.
Result<void> try_bounding_set();
/// The system call filter.
Result<void> try_filter();

/// What goes without namespaces, and how to get them: for `heddle doctor` and for errors.
extern const char* const kWithoutNamespaces;
extern const char* const kNamespaceRemedy;

}  // namespace heddle::worker
