#pragma once

#include <string>
#include <vector>

#include "common/cpu_line.h"
#include "common/fd.h"
#include "common/result.h"
#include "host/task_user.h"
#include "wire/messages.h"

namespace heddle::worker {

/// Processes and threads that a command's container may hold, by its control group: a limit by user
/// would count all that the user does on this machine.
inline constexpr int kMostProcesses = 256;

/// What a worker that runs commands at all holds them to.
struct CommandCage {
  host::TaskUser user;
  Fd logs;                     ///< directory in which each gets one of its own
  Fd filter = Fd();            ///< of system calls (make_syscall_filter)
  bool own_namespaces = true;  ///< each container has PID, IPC and mount namespaces of its own
  std::vector<std::string> covered = {};  ///< directories that commands see empty
};

/// Refuses what must not come near a file name or a program, whoever sent it: job and phase that
/// are no names, a program that is neither a path from the root nor a plain name, zero bytes.
Result<void> check_command(const wire::LaunchCommand& launch);

/// Whether the program itself is why a command was not executed (it is not there, it may not be
/// executed), and not this machine.
bool is_programs_fault(CommandStep step, int error);

/// {job}, {task} and {attempt} replaced, wherever they stand; other braces stay.
std::vector<std::string> program_of(const wire::LaunchCommand& launch);

/// Arguments of heddle-task as a command's supervisor (kCommandWord in common/cpu_line.h).
/// `groups`: directories of the container's group.
std::vector<std::string> supervisor_arguments(const wire::LaunchCommand& launch,
                                              const CommandCage& cage,
                                              const std::vector<std::string>& groups);

/// What the report of an attempt says that exceeded a bound of its output; "" for none.
std::string limit_text(CommandLimit limit, real::Bytes output_limit);

/// What may help where a program could not be executed, to be put behind the reason; "" if nothing
/// is known that would. `cage`: null where there is none.
std::string start_hint(const std::string& program, const CommandCage* cage);

/// "wc-map-3-1": job, phase, task, attempt.
std::string directory_name(const wire::LaunchCommand& launch);

/// Makes the directory that an attempt of a command runs in, below the directory `logs`: new, of
/// mode 0700, the user's. Is there one of the name (names may hold dashes), the container's number
/// is added. Returns it open.
Result<Fd> make_command_directory(int logs, const wire::LaunchCommand& launch,
                                  const host::TaskUser& user);

}  // namespace heddle::worker
