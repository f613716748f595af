#pragma once

#include <sys/types.h>

#include <string_view>

namespace heddle::worker {

/// Returns the state letter of a /proc/PID/stat line (proc(5)): R, S, D, T, t, Z, X and others; 0
/// if there is none. The command name before it may contain any character, also parentheses and
/// spaces.
char state_of(std::string_view stat);

/// Returns whether a SIGSTOP is pending, according to a /proc/PID/status text.
bool stop_pending(std::string_view status);

/// Returns whether no thread of the process can run: each is stopped (T) or dead, or the process is
/// gone. A thread that waits uninterruptibly (D) can't run either if a SIGSTOP is pending: it stops
/// before it does anything else. For example, a process that made a child with vfork (shells do)
/// waits like that as long as the child is stopped before its exec.
bool is_stopped(pid_t process);

}  // namespace heddle::worker
