#pragma once

#include "common/cpu_line.h"

namespace heddle::task {

/// Blocks the signals that supervise waits for: to be called before all else, so that none that
/// comes early is the end of a supervisor that knows nothing of its program yet.
void block_command_signals();

/// heddle-task as the supervisor of a command (kCommandWord); ends the process. It lives outside
/// the container, so that neither its quota nor a suspension keeps it from its duty: whatever ends
/// the program, a SIGTERM or the worker's death ends everything in the container.
[[noreturn]] void supervise(TaskPage& page, int argc, char** argv);

}  // namespace heddle::task
