#pragma once

#include <cstdint>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "host/host_resources.h"

namespace heddle::cli {

/// The resources that limit the number of workers on this machine.
struct HostLimits {
  real::Cpus cpus;
  real::Bytes memory;
  std::int64_t threads = 0;  ///< number of threads that can still be made
  std::int64_t files = 0;    ///< maximum number of open files of this process
};

/// Returns how many threads can still be made. The kernel has limits of its own, and the pids
/// controller has limits for this process's groups and their ancestors. All files are read with
/// `read`. If a file is missing, its limit does not exist. Sources: man 5 proc,
/// Documentation/admin-guide/cgroup-v2.rst.
std::int64_t free_threads(const host::FileReader& read);

/// Returns the limits of this machine and this process. They come from free_threads() with the real
/// files, from host_resources() and from getrlimit.
HostLimits host_limits();

/// Checks that a machine can run a worker for each node of the resolved scenario. The error
/// (kMachine) says what the workers of the scenario need, what this machine has, and how many nodes
/// are possible. The costs were measured: docs/reference/benchmarks.md, "start" and "heartbeat".
/// Pure.
Result<void> check_node_count(const Scenario& scenario, const HostLimits& limits);

}  // namespace heddle::cli
