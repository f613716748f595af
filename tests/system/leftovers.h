#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace heddle {

/// Everything that a run has left on this machine. A process is described as "PID (command line)",
/// and a group or a file by its path.
struct Leftovers {
  /// Processes with the run's id in their command line, environment, control groups, working
  /// directory or open files. Zombies do not count.
  std::vector<std::string> processes;
  /// Groups of all cgroup mounts with the run's id in their name.
  std::vector<std::string> groups;
  /// Files with the run's id in their name. They are below the directories of runs, or in the
  /// directories for temporary files, shared memory and locks. Sockets without a file are also
  /// listed.
  std::vector<std::string> files;

  std::vector<std::string> all() const;
};

/// Looks for leftovers once. If `run` is "", this is an error, because there is no id to look for.
Leftovers leftovers_of(const std::string& run);

/// Calls leftovers_of(run).all() until it is empty, but not longer than `patience`, because killed
/// processes take some time to vanish. Returns the last result.
std::vector<std::string> left_of(const std::string& run,
                                 std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace heddle
