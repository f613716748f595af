#include "worker/clone3_call.h"

#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>

namespace heddle::worker {

long clone3_sharing(clone_args args, std::span<std::byte> stack, void (*child)(void*),
                    void* argument) {
  args.stack = reinterpret_cast<std::uint64_t>(stack.data());
  args.stack_size = stack.size();
#ifdef __x86_64__
  // This single statement contains the call of the child's function, because the child continues
  // after the system call on its new stack, where it has no frame to return to.
  long result = SYS_clone3;
  asm volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[argument], %%rdi\n\t"
      "call *%[child]\n\t"
      "hlt\n"
      "1:"
      : "+a"(result)
      : "D"(&args), "S"(sizeof args), [child] "r"(child), [argument] "r"(argument)
      : "rcx", "r11", "cc", "memory");
  return result;
#else
  (void)child;
  (void)argument;
  return -ENOSYS;
#endif
}

bool joins_instead(int error) {
  return error == ENOSYS || error == E2BIG || error == EINVAL || error == EPERM || error == EBADF;
}

}  // namespace heddle::worker
