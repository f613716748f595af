#pragma once

#include <sys/types.h>

#include <string_view>

namespace heddle::worker {

/// The state letter of a /proc/PID/stat line (proc(5)): R, S, D, T, t, Z, X …; 0 if it has none.
/// The command name before it may hold any character, parentheses and spaces included.
char state_of(std::string_view stat);

/// True if a SIGSTOP waits to be taken, by a /proc/PID/status text.
bool stop_pending(std::string_view status);

/// True if no thread of the process can run: each is stopped (T) or dead, or the process is gone.
/// One that waits uninterruptibly (D) can't either if a SIGSTOP is pending: it stops before it does
/// anything else. So waits who has made a child with vfork (shells do) that was itself stopped
/// before its exec, for as long as that is stopped.
bool is_stopped(pid_t process);

}  // namespace heddle::worker
