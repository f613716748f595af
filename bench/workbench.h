#pragma once

#include <sys/mman.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "host/child.h"
#include "host/scratch_directory.h"
#include "wire/fields.h"

namespace heddle::bench {

/// Holds the resources of a measurement: a descriptor for the user's signals and a temporary
/// directory. All functions throw Failed, also if the user interrupts the bench.
class Workbench {
 public:
  Workbench();

  int signals() const { return signals_.get(); }
  /// Returns a new path in the temporary directory at each call.
  std::string new_path() { return scratch_ / std::to_string(++paths_); }
  /// Waits for this time.
  void pause(std::chrono::milliseconds length) const;
  /// The limits of await().
  struct Patience {
    std::chrono::milliseconds look{20};  ///< time between two calls of `so`
    std::chrono::milliseconds limit{};
    const char* late = "";  ///< the error when the limit is over
  };
  /// Waits until `so` returns true. `alive` returns false if one of the processes has ended, after
  /// which `so` can't become true any more.
  void await(const std::function<bool()>& so, const std::function<bool()>& alive,
             const Patience& patience) const;
  /// Runs a program to its end and returns it. If the user interrupts, passes the interrupt on, so
  /// that the program cleans up. Failed jobs of a run are no error. `what` precedes other errors.
  host::Child run(const std::vector<std::string>& words, const std::string& what) const;
  /// Runs a script of bench/scripts/ and returns the last line of its output, a JSON object.
  wire::Json script(const std::string& name, const std::vector<std::string>& arguments) const;

 private:
  Fd signals_;
  host::ScratchDirectory scratch_;
  int paths_ = 0;
};

/// Throws Failed if the user has asked the bench to stop.
void check_interrupt();

/// Returns the last lines of what a child wrote, for an error.
std::string last_words(const host::Child& child);

/// Owns a process that this program started. The destructor sends it `signal`, and kills it if it
/// has not ended after `patience`.
class Ending {
 public:
  Ending(host::Child child, int signal, std::chrono::milliseconds patience)
      : child_(std::move(child)), signal_(signal), patience_(patience) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending();

  bool ended() { return child_.reap() || !child_.running(); }
  const host::Child& operator*() const { return child_; }
  host::Child* operator->() { return &child_; }

 private:
  host::Child child_;
  int signal_;
  std::chrono::milliseconds patience_;
};

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

/// Returns new memory that this process shares with processes that it forks later.
void* map_shared(std::size_t bytes);

/// Zeroed objects that this process shares with processes that it forks later. The memory exists as
/// long as this object.
template <class T>
class Shared {
 public:
  explicit Shared(std::size_t count = 1)
      : count_(count), data_(static_cast<T*>(map_shared(count * sizeof(T)))) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() { ::munmap(data_, count_ * sizeof(T)); }
  T& operator*() const { return *data_; }
  T& operator[](std::size_t index) const { return data_[index]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + count_; }

 private:
  std::size_t count_;
  T* data_;
};

}  // namespace heddle::bench
