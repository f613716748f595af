#pragma once

#include "common/result.h"

namespace heddle::worker {

/// Makes and enters a user namespace. In it, this process has all capabilities and keeps its ids.
/// Therefore users other than root can make namespaces for commands, too. Inside this namespace, no
/// further user namespace can be made. REQUIRES: this process has one thread.
Result<void> enter_user_namespace();

/// Returns an error (kMachine) if this machine can't give namespaces to commands. The error says
/// what to do. REQUIRES: this process has one thread.
Result<void> check_namespaces();

// Functions that try which protections this machine can give to commands. Each function does so in
// a new process. Errors are kMachine and say what failed. REQUIRES: this process has one thread.

/// Tries PID, IPC and mount namespaces, and the mounts that a command gets. If this process does
/// not run as root, tries them in a user namespace.
Result<void> try_namespaces();
/// Tries an empty capability bounding set.
Result<void> try_bounding_set();
/// Tries the system call filter.
Result<void> try_filter();

/// Texts for `heddle doctor` and for errors. They say how to run commands without namespaces, and
/// how to get namespaces.
extern const char* const kWithoutNamespaces;
extern const char* const kNamespaceRemedy;

}  // namespace heddle::worker
