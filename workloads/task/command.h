#pragma once

#include "common/cpu_line.h"

namespace heddle::task {

/// heddle-task as the supervisor of a command (kCommandWord); ends the process. It lives outside
/// the container, so that neither its quota nor a suspension keeps it from its duty: whatever ends
/// the program, a SIGTERM or the worker's death ends everything in the container. Where it is the
/// first process of a PID namespace, the kernel ends everything in there with it.
[[noreturn]] void supervise(TaskPage& page, int argc, char** argv);

}  // namespace heddle::task
