#include "worker/syscall_filter.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#include "worker/child_setup.h"

namespace heddle::worker {
namespace {

/// Refused calls, by their names in libseccomp. They are chosen as in the filters of systemd and
/// Docker. A name that this architecture or this version of libseccomp does not have is left out.
constexpr const char* kRefused[] = {
    // Mounts and roots.
    "chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount",
    "open_tree", "open_tree_attr", "pivot_root", "umount", "umount2",
    // Namespaces of other processes.
    "setns",
    // The kernel itself: modules, another kernel, its log, accounting, swap, quotas.
    "acct", "create_module", "delete_module", "finit_module", "init_module", "kexec_file_load",
    "kexec_load", "nfsservctl", "query_module", "quotactl", "quotactl_fd", "reboot", "swapoff",
    "swapon", "syslog", "vhangup",
    // Clocks.
    "clock_adjtime", "clock_adjtime64", "clock_settime", "clock_settime64", "settimeofday", "stime",
    // Raw devices.
    "ioperm", "iopl", "pciconfig_iobase", "pciconfig_read", "pciconfig_write",
    // Kernel keys. They belong to a user, not to a container.
    "add_key", "keyctl", "request_key",
    // Large parts of the kernel whose errors have let programs escape more than once.
    "bpf", "io_uring_enter", "io_uring_register", "io_uring_setup", "perf_event_open",
    "userfaultfd",
    // Access to files and descriptors that bypasses paths and permissions.
    "kcmp", "lookup_dcookie", "open_by_handle_at", "pidfd_getfd",
    // Obsolete.
    "_sysctl", "get_kernel_syms", "sysfs", "uselib", "ustat", "vm86", "vm86old"};

/// Flags of clone and unshare.
constexpr std::uint64_t kNamespaces[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                         CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};
/// Flag only of unshare. In the flags of clone, this bit is a part of the signal's number.
constexpr std::uint64_t kTimeNamespace = 0x80;
/// Requests that put text into a terminal's input.
constexpr std::uint64_t kTerminalInput[] = {TIOCSTI, TIOCLINUX};

struct Release {
  void operator()(void* filter) const { seccomp_release(filter); }
};
using Filter = std::unique_ptr<void, Release>;

Error library_error(const std::string& what, int result) {
  return machine_error("system call filter: " + what + ": " + std::strerror(-result));
}

Result<void> refuse(const Filter& filter, const char* name, int error,
                    const scmp_arg_cmp* condition = nullptr) {
  const int number = seccomp_syscall_resolve_name(name);
  if (number == __NR_SCMP_ERROR) return {};
  const int result =
      seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)),
                             number, condition != nullptr ? 1 : 0, condition);
  if (result < 0) return library_error(name, result);
  return {};
}

/// Refuses a call whose argument, masked with `mask`, equals `bits`.
Result<void> refuse_bits(const Filter& filter, const char* name, unsigned argument,
                         std::uint64_t mask, std::uint64_t bits) {
  const scmp_arg_cmp condition{argument, SCMP_CMP_MASKED_EQ, mask, bits};
  return refuse(filter, name, EPERM, &condition);
}

Result<void> add_rules(const Filter& filter) {
  for (const char* name : kRefused) HEDDLE_TRY(refuse(filter, name, EPERM));
  HEDDLE_TRY(refuse(filter, "clone3", ENOSYS));
  for (const char* name : {"clone", "unshare"})
    for (std::uint64_t flag : kNamespaces) HEDDLE_TRY(refuse_bits(filter, name, 0, flag, flag));
  HEDDLE_TRY(refuse_bits(filter, "unshare", 0, kTimeNamespace, kTimeNamespace));
  for (std::uint64_t request : kTerminalInput)
    HEDDLE_TRY(refuse_bits(filter, "ioctl", 1, 0xffffffff, request));
  return {};
}

/// Adds the architecture of the 32-bit programs that the 64-bit kernel can also run.
Result<void> add_architectures(const Filter& filter) {
  const std::uint32_t native = seccomp_arch_native();
  const std::uint32_t narrow = native == SCMP_ARCH_X86_64    ? SCMP_ARCH_X86
                               : native == SCMP_ARCH_AARCH64 ? SCMP_ARCH_ARM
                                                             : native;
  const int result = narrow == native ? 0 : seccomp_arch_add(filter.get(), narrow);
  if (result < 0) return library_error("add an architecture", result);
  return {};
}

}  // namespace

Result<Fd> make_syscall_filter() {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW));
  if (!filter) return machine_error("system call filter: libseccomp does not know this machine");
  HEDDLE_TRY(add_architectures(filter));
  HEDDLE_TRY(add_rules(filter));
  // With a tree, each system call is cheaper than with a list. Not all versions of libseccomp can
  // make a tree.
  (void)seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  const Fd made(::memfd_create("heddle-syscall-filter", MFD_CLOEXEC));
  // Avoid the descriptor numbers that tasks get. Otherwise the child would overwrite this
  // descriptor when it places its other descriptors.
  Fd file(::fcntl(made.get(), F_DUPFD_CLOEXEC, kFirstFreeFd));
  if (!made || !file) return system_error("make a memory file", errno);
  const int result = seccomp_export_bpf(filter.get(), file.get());
  if (result < 0) return library_error("export it", result);
  return file;
}

}  // namespace heddle::worker
