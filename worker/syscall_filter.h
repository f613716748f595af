#pragma once

#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// A memory file with the system call filter of commands, for kCommandFilterFd. The filter refuses,
/// with EPERM, what programs of an ordinary user have no use for and what widens the kernel's
/// surface: mounts, namespaces, modules, kernel keys, BPF, clocks, swap, raw devices. All else is
/// allowed. clone3 seems not to be there (ENOSYS): its flags can't be looked at, and C libraries
/// use clone then. Programs for another architecture than this one, or its 32-bit variant, are
/// killed.
Result<Fd> make_syscall_filter();

}  // namespace heddle::worker
