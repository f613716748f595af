#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "common/result.h"

namespace heddle::bench {

/// CPU time of all threads of a process so far, seconds; 0 if it is gone.
double process_cpu_s(pid_t pid);
/// The CPU time of these processes together, in seconds.
double process_cpu_s(const std::vector<pid_t>& pids);

/// Processes forked from this one, each of which runs a function; what they have to tell they
/// write into memory that is shared. They die with us, and are killed when this goes.
class Forks {
 public:
  Forks() = default;
  Forks(const Forks&) = delete;
  Forks& operator=(const Forks&) = delete;
  ~Forks();

  /// REQUIRES: no other thread runs. Errors: no more processes.
  Result<pid_t> start(const std::function<void()>& body);
  /// False once one of them has ended.
  bool all_run() const;
  double cpu_s() const { return process_cpu_s(pids_); }

 private:
  std::vector<pid_t> pids_;
};

/// Zeroed memory that processes forked later share, for as long as this is there.
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
