#pragma once

#include "common/cpu_line.h"

namespace heddle::task {

/// Runs heddle-task as the supervisor of a command (kCommandWord); ends the process. The supervisor
/// lives outside the container, so that neither the container's quota nor a suspension keeps it
/// from its duty: any end of the program, a SIGTERM, or the worker's death ends everything in the
/// container. If the supervisor is the first process of a PID namespace, the kernel ends everything
/// in there with it.
[[noreturn]] void supervise(TaskPage& page, int argc, char** argv);

}  // namespace heddle::task
