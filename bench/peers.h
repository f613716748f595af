#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/launch_bench.h"
#include "cgroup/driver.h"

namespace heddle::bench {

/// Another program that starts programs in control groups.
struct LaunchPeer {
  std::string name;
  MeasureLaunches measure;  ///< null if the program is not available here
  std::string note;         ///< why the program is not available
};

/// Resources for making peers. Peers can use them for as long as the peers exist.
struct PeerMeans {
  cgroup::Driver& driver;
  std::string run;
  std::string directory;  ///< directory for files of the peers; the caller removes it
  std::string task_program;
  std::int64_t& next_id;       ///< the id of the next task
  std::function<bool()> stop;  ///< whether the user has interrupted
};

/// Returns the peers: cgexec into an existing group, crun with a bundle, and Slurm job arrays. Each
/// peer starts heddle-task without its page (the shared memory with its order), so the task ends at
/// once. The files that peers need are made in `directory`. Their groups are made in a group of the
/// run.
std::vector<LaunchPeer> launch_peers(const PeerMeans& means);

/// Finds a program in the directories of `path`, the value of PATH. Returns its path, or "" if no
/// directory has the program.
std::string find_program(const std::string& name, const std::string& path);

/// Returns the arguments "-g", "cpu:/a/b" and so on, which tell cgexec where the group with these
/// directories is. Returns no arguments if the directories are not below /sys/fs/cgroup.
std::vector<std::string> cgexec_groups(cgroup::Version version,
                                       const std::vector<std::string>& directories);

}  // namespace heddle::bench
