#pragma once

#include <string>
#include <vector>

#include "common/cpu_line.h"
#include "common/fd.h"
#include "common/result.h"
#include "host/task_user.h"
#include "wire/messages.h"

namespace heddle::worker {

/// Limit of processes and threads in a command's container, set on its control group. A limit by
/// user would count all that the user does on this machine.
inline constexpr int kMostProcesses = 256;

/// Restrictions on commands, for a worker that runs commands at all.
struct CommandCage {
  host::TaskUser user;
  Fd logs;                     ///< directory in which each attempt gets a directory of its own
  Fd filter = Fd();            ///< system call filter (make_syscall_filter)
  bool own_namespaces = true;  ///< each container has PID, IPC and mount namespaces of its own
  std::vector<std::string> covered = {};  ///< directories that commands see empty
};

/// Refuses a command whose program is neither an absolute path nor a plain name, or whose arguments
/// contain a zero byte.
Result<void> check_command(const wire::LaunchCommand& launch);

/// Returns whether the program itself is the reason that a command was not executed (it does not
/// exist or may not be executed), and not this machine.
bool is_programs_fault(CommandStep step, int error);

/// Returns the command with {job}, {task} and {attempt} replaced everywhere; other braces stay.
std::vector<std::string> program_of(const wire::LaunchCommand& launch);

/// Returns the arguments of heddle-task as a command's supervisor (kCommandWord in
/// common/cpu_line.h). `groups`: directories of the container's group.
std::vector<std::string> supervisor_arguments(const wire::LaunchCommand& launch,
                                              const CommandCage& cage,
                                              const std::vector<std::string>& groups);

/// Returns the reason to report if an attempt exceeded a bound on its output; "" if it did not.
std::string limit_text(const ExceededLimit& exceeded, real::Bytes output_limit);

/// Returns a hint for a program that could not be executed, to be appended to the reason; "" if
/// there is none. `cage`: null if there is none.
std::string start_hint(const std::string& program, const CommandCage* cage);

/// Returns a name such as "wc-map-3-1": job, phase, task, attempt.
std::string directory_name(const wire::LaunchCommand& launch);

/// Makes a new directory below `logs` for an attempt of a command to run in, with mode 0700, owned
/// by the user. If the name exists (names may contain dashes), appends the container's number.
/// Returns the directory open.
Result<Fd> make_command_directory(int logs, const wire::LaunchCommand& launch,
                                  const host::TaskUser& user);

}  // namespace heddle::worker
