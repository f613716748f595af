#pragma once

#include <sys/types.h>

#include <string_view>

namespace heddle::worker {

/// Returns the state letter of a /proc/PID/stat line (proc(5)), such as R, S, D, T, t, Z or X.
/// Returns 0 if there is none. The command name before the letter can contain any character, even
/// parentheses and spaces.
char state_of(std::string_view stat);

/// Returns whether the signal is pending according to the text of /proc/PID/status.
bool is_pending(int signal, std::string_view status);

/// Returns whether no thread of the process can run. A thread can't run if it is stopped (T) or
/// dead. A thread in an uninterruptible wait (D) also counts if a SIGSTOP is pending, because it
/// stops before it does anything else. For example, a process that has called vfork, such as a
/// shell, waits so while its child is stopped before exec. Also returns true if the process is
/// gone.
bool is_stopped(pid_t process);

}  // namespace heddle::worker
