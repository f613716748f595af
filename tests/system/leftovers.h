#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace heddle {

/// Everything that a run has left on this machine, each as "PID (command line)" or a path.
struct Leftovers {
  /// Processes with the run's id in their command line, environment, control groups, working
  /// directory or open files; zombies do not count.
  std::vector<std::string> processes;
  std::vector<std::string> groups;  ///< groups with the id in their name, in every cgroup mount
  /// Files with the id in their name, below the directories of runs and in those for temporary
  /// files, shared memory and locks; also sockets without a file.
  std::vector<std::string> files;

  std::vector<std::string> all() const;
};

/// Looks for leftovers once. A run without an id is an error, as there is nothing to look for.
Leftovers leftovers_of(const std::string& run);

/// Returns leftovers_of(run).all() as soon as it is empty, or when `patience` is over: killed
/// processes take a moment to vanish.
std::vector<std::string> left_of(const std::string& run,
                                 std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace heddle
