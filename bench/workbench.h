#pragma once

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

}  // namespace heddle::bench
