#pragma once

#include <sched.h>

namespace heddle::worker {

/// Flags of clone and unshare for the namespaces that a command's container has of its own.
inline constexpr int kCommandNamespaces = CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNS;

}  // namespace heddle::worker
