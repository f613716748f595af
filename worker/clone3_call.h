#pragma once

#include <linux/sched.h>

#include <cstddef>
#include <span>

namespace heddle::worker {

/// Calls clone3 (Linux 5.3; kernel/fork.c) for a child that shares our memory and runs
/// `child(argument)` on `stack`. libc has no function for this. Fills in the stack of `args`.
/// Returns the process id, or a negative error number. The number is -ENOSYS on processors other
/// than x86-64. REQUIRES: `args` has CLONE_VM, `child` does not return, and the size and the
/// address of the stack are multiples of 16 bytes.
long clone3_sharing(clone_args args, std::span<std::byte> stack, void (*child)(void*),
                    void* argument);

/// Returns whether the child can join its group itself after clone3 with CLONE_INTO_CGROUP failed
/// with this error number. This is so if the kernel has no clone3 (ENOSYS) or no CLONE_INTO_CGROUP
/// (E2BIG or EINVAL, before Linux 5.7), if a system call filter refuses the call (ENOSYS or EPERM),
/// or if the kernel does not accept the descriptor (EBADF). Other errors concern the group or the
/// resources of the machine, so joining would fail, too.
bool joins_instead(int error);

}  // namespace heddle::worker
