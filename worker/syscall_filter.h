#pragma once

#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// Makes a memory file with the system call filter of commands, for kCommandFilterFd. The filter
/// refuses, with EPERM, calls that an ordinary user's programs do not need and that expose more of
/// the kernel: mounts, namespaces, modules, kernel keys, BPF, clocks, swap, raw devices. All other
/// calls are allowed. clone3 fails with ENOSYS, since the filter can't look at its flags; C
/// libraries use clone then. Programs for another architecture than this one or its 32-bit variant
/// are killed.
Result<Fd> make_syscall_filter();

}  // namespace heddle::worker
