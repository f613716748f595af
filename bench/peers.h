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
  MeasureLaunches measure;  ///< null: not available here
  std::string note;         ///< why it is not available
};

/// Resources for making peers, which peers may use for as long as they exist.
struct PeerMeans {
  cgroup::Driver& driver;
  std::string run;
  std::string directory;  ///< removed by the caller
  std::string task_program;
  std::int64_t& next_id;       ///< of tasks
  std::function<bool()> stop;  ///< whether the user has interrupted
};

/// Returns the peers: cgexec into an existing group, crun with a bundle, and Slurm job arrays. Each
/// starts heddle-task, which ends at once without its page. The files that they need are made in
/// `directory`, the groups in a group of the run.
std::vector<LaunchPeer> launch_peers(const PeerMeans& means);

/// Returns the program's path, found in the directories of PATH; "" if there is none.
std::string find_program(const std::string& name, const std::string& path);

/// Returns the arguments "-g", "cpu:/a/b" and so on, which tell cgexec the place of the group with
/// these directories. Empty if they are not below /sys/fs/cgroup.
std::vector<std::string> cgexec_groups(cgroup::Version version,
                                       const std::vector<std::string>& directories);

}  // namespace heddle::bench
