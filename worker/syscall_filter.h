#pragma once

#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// Makes a memory file with the system call filter of commands, for kCommandFilterFd. The filter
/// refuses (EPERM) system calls that ordinary programs do not need and that expose more of the
/// kernel to attacks. These are calls about mounts, namespaces, modules, kernel keys, BPF, clocks,
/// swap and raw devices. clone3 fails with ENOSYS, because the filter can't read its flags. C
/// libraries then use clone. All other calls are allowed. A program for another architecture is
/// killed, unless it is for the 32-bit variant of this architecture.
Result<Fd> make_syscall_filter();

}  // namespace heddle::worker
