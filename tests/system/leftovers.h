#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace heddle {

/// What of a run is on this machine, wherever it may be; each as "PID (command line)" or a path.
struct Leftovers {
  /// Whose command line, environment, control groups, working directory or open files bear the
  /// run's id; zombies don't count.
  std::vector<std::string> processes;
  std::vector<std::string> groups;  ///< in every cgroup mount, with the id in the name
  /// With the id in the name: below the directories of runs and those for temporary files, shared
  /// memory and locks; and sockets without a file.
  std::vector<std::string> files;

  std::vector<std::string> all() const;
};

/// Looks now. A run without an id is an error: there is nothing to look for.
Leftovers leftovers_of(const std::string& run);

/// The same, once nothing is left or the patience has come to an end: processes that were killed
/// take a moment.
std::vector<std::string> left_of(const std::string& run,
                                 std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace heddle
