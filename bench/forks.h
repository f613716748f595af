#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "common/result.h"

namespace heddle::bench {

/// Returns the CPU time that all threads of a process have used, in seconds; 0 if the process is
/// gone.
double process_cpu_s(pid_t pid);
/// Returns the CPU time of these processes together, in seconds.
double process_cpu_s(const std::vector<pid_t>& pids);

/// Forks processes from this one, each of which runs a function. They report through shared memory.
/// They die with this process, and the destructor kills them.
class Forks {
 public:
  Forks() = default;
  Forks(const Forks&) = delete;
  Forks& operator=(const Forks&) = delete;
  ~Forks();

  /// Starts a process that runs `body`. REQUIRES: no other thread runs. Errors: no more processes.
  Result<pid_t> start(const std::function<void()>& body);
  /// Returns false once one of the processes has ended.
  bool all_run() const;
  double cpu_s() const { return process_cpu_s(pids_); }

 private:
  std::vector<pid_t> pids_;
};

/// Zeroed memory that is shared with processes forked later, for the lifetime of this object.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();
  void* data() const { return data_; }

 private:
  void* data_;
  std::size_t bytes_;
};

}  // namespace heddle::bench
