#pragma once

#include "common/result.h"

namespace heddle::worker {

/// Makes and enters a user namespace in which this process has all capabilities and its former ids,
/// so that a user other than root can make namespaces for commands. No further user namespace can
/// be made inside. REQUIRES: one thread.
Result<void> enter_user_namespace();

/// Returns an error (kMachine) with the remedy if commands can't have namespaces. REQUIRES: one
/// thread.
Result<void> check_namespaces();

// Functions that try what this machine can give commands, each in a process of its own. Errors are
// kMachine and say what failed. REQUIRES: one thread.

/// Tries PID, IPC and mount namespaces, and the mounts that a command gets, in a user namespace if
/// this process is not root's.
Result<void> try_namespaces();
/// Tries an empty capability bounding set.
Result<void> try_bounding_set();
/// Tries the system call filter.
Result<void> try_filter();

/// Texts for `heddle doctor` and errors: how commands run without namespaces, and how to get some.
extern const char* const kWithoutNamespaces;
extern const char* const kNamespaceRemedy;

}  // namespace heddle::worker
