#include "host/policy_mark.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "common/fd.h"
#include "common/file.h"
#include "common/number.h"

namespace heddle::host {
namespace {

/// Returns whether the environment that a process had at its start (man 5 proc) has the variable.
bool has(const std::string& environment, const std::string& variable) {
  const std::string whole = variable + '\0';
  return environment.starts_with(whole) || environment.find('\0' + whole) != std::string::npos;
}

/// Kills a process if it belongs to the user and has the variable. Opens the pidfd first, so that
/// another process with the same pid can't be killed.
bool kill_if(pid_t pid, const std::string& variable, uid_t uid) {
  const Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  const std::string process = "/proc/" + std::to_string(pid);
  struct stat info {};
  if (!pidfd || ::stat(process.c_str(), &info) != 0 || info.st_uid != uid) return false;
  const Result<std::string> environment = read_file(process + "/environ");
  return environment && has(*environment, variable) &&
         ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0) == 0;
}

}  // namespace

std::string policy_variable(const std::string& endpoint) {
  return "HEDDLE_POLICY_ENDPOINT=" + endpoint;
}

bool kill_processes_with(const std::string& variable, uid_t uid) {
  constexpr int kRounds = 50;  // a process can fork while it is killed, and takes a while to end
  for (int round = 0; round < kRounds; ++round) {
    bool found = false;
    std::error_code error;
    std::filesystem::directory_iterator entry("/proc", error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
      if (const auto pid = read_number<pid_t>(entry->path().filename().string()))
        found |= kill_if(*pid, variable, uid);
    if (!found) return true;
    ::usleep(20'000);
  }
  return false;
}

}  // namespace heddle::host
