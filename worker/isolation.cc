#include "worker/isolation.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>

#include "common/fd.h"
#include "common/file.h"
#include "worker/child_setup.h"
#include "worker/syscall_filter.h"
#include "workloads/task/mounts.h"

namespace heddle::worker {
namespace {

std::string reason(const std::string& what, int error) { return system_error(what, error).text; }

/// Runs `attempt` in a child process and returns its result, which is "" on success. If this
/// process has unshared namespaces, the child is the first process in them.
std::string in_child(const std::function<std::string()>& attempt) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0) return reason("make a pipe", errno);
  Fd reader(ends[0]), writer(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return reason("make a process", errno);
  if (pid == 0) {
    const std::string trouble = attempt();
    const bool told = ::write(writer.get(), trouble.data(), trouble.size()) == std::ssize(trouble);
    ::_exit(told ? 0 : 1);
  }
  writer.reset();
  std::string trouble;
  std::array<char, 512> text{};
  for (ssize_t n = 0; (n = ::read(reader.get(), text.data(), text.size())) > 0;)
    trouble.append(text.data(), static_cast<std::size_t>(n));
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (status != 0 && trouble.empty())
    return "the trial ended with wait status " + std::to_string(status);
  return trouble;
}

Result<void> try_out(const std::function<std::string()>& attempt) {
  std::string trouble = in_child(attempt);
  if (trouble.empty()) return {};
  return machine_error(std::move(trouble));
}

std::string make_all_mounts() {
  task::MountFailure failure = task::keep_mounts_private();
  if (failure.error == 0) failure = task::make_mounts({});
  return failure.error == 0 ? "" : reason(failure.what, failure.error);
}

std::string make_namespaces() {
  if (::geteuid() != 0)
    if (Result<void> entered = enter_user_namespace(); !entered) return entered.error().text;
  if (::unshare(kCommandNamespaces) < 0) return reason("make PID, IPC and mount namespaces", errno);
  return in_child(make_all_mounts);
}

std::string empty_bounding_set() {
  if (::geteuid() != 0)
    if (Result<void> entered = enter_user_namespace(); !entered) return entered.error().text;
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0;
       ++capability)
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
      return reason("empty the capability bounding set", errno);
  return "";
}

std::string install_filter() {
  Result<Fd> file = make_syscall_filter();
  if (!file) return file.error().text;
  std::array<sock_filter, BPF_MAXINSNS> code{};
  const ssize_t size = ::pread(file->get(), code.data(), sizeof code, 0);
  if (size <= 0) return reason("read the system call filter", errno);
  const sock_fprog program{
      static_cast<unsigned short>(static_cast<std::size_t>(size) / sizeof(sock_filter)),
      code.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0)
    return reason("install the system call filter", errno);
  return "";
}

}  // namespace

const char* const kWithoutNamespaces =
    "commands run only with --allow-unisolated-commands: they see and may signal the other "
    "processes of their user, and may leave files in /tmp";
const char* const kNamespaceRemedy =
    "run as root with CAP_SYS_ADMIN, or let ordinary users make user namespaces (sysctl "
    "user.max_user_namespaces, kernel.unprivileged_userns_clone, "
    "kernel.apparmor_restrict_unprivileged_userns=0); Linux 5.12 or newer";

Result<void> enter_user_namespace() {
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER) < 0) {
    Error error = system_error("make a user namespace", errno);
    error.kind = Error::Kind::kMachine;
    return error;
  }
  HEDDLE_TRY(write_control("/proc/self/setgroups", "deny"));
  HEDDLE_TRY(write_control("/proc/self/uid_map", user + " " + user + " 1"));
  HEDDLE_TRY(write_control("/proc/self/gid_map", group + " " + group + " 1"));
  // If /proc/sys is read-only, that is no failure, because the system call filter refuses user
  // namespaces, too.
  (void)write_control("/proc/sys/user/max_user_namespaces", "0");
  return {};
}

Result<void> check_namespaces() {
  Result<void> tried = try_namespaces();
  if (tried) return tried;
  return machine_error("commands can't have namespaces of their own: " + tried.error().text +
                       "\n  without them: " + kWithoutNamespaces +
                       "\n  to get them:  " + kNamespaceRemedy);
}

Result<void> try_namespaces() { return try_out(make_namespaces); }
Result<void> try_bounding_set() { return try_out(empty_bounding_set); }
Result<void> try_filter() { return try_out(install_filter); }

}  // namespace heddle::worker
