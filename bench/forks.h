#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "wire/fields.h"

namespace heddle::bench {

/// Returns the CPU time that all threads of a process have used, in seconds. Returns 0 if the
/// process is gone.
double process_cpu_s(pid_t pid);
/// Returns the CPU time of these processes together, in seconds.
double process_cpu_s(const std::vector<pid_t>& pids);

/// Forks processes from this process. Each of them runs a function and reports through shared
/// memory. The processes die with this process, and the destructor kills them.
class Forks {
 public:
  Forks() = default;
  Forks(const Forks&) = delete;
  Forks& operator=(const Forks&) = delete;
  ~Forks();

  /// Starts a process that runs `body`. REQUIRES: no other thread runs. Throws Failed if no more
  /// processes can be made.
  pid_t start(const std::function<void()>& body);
  /// Returns true until the first of the processes ends.
  bool all_run() const;
  double cpu_s() const { return process_cpu_s(pids_); }

 private:
  std::vector<pid_t> pids_;
};

/// Calls `measure` in a forked child process and returns its result. Each measurement therefore has
/// its own heap and its own peak of memory. The child dies with this process. Throws Failed if
/// `measure` does, or if the child ends without a result. REQUIRES: no other thread runs.
wire::Json in_child(const std::function<wire::Json()>& measure);

/// Zeroed memory that this process shares with processes that it forks later. The memory exists as
/// long as this object.
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
