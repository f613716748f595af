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
  MeasureLaunches measure;  ///< null: not here
  std::string note;         ///< then why
};

/// What peers are made with, and may use as long as they are there.
struct PeerMeans {
  cgroup::Driver& driver;
  std::string run;
  std::string directory;  ///< the caller's to remove
  std::string task_program;
  std::int64_t& next_id;       ///< of tasks
  std::function<bool()> stop;  ///< whether the user wants out
};

/// cgexec into a group that is there, crun with a bundle, and Slurm's arrays of jobs, each starting
/// heddle-task, which ends at once without its page. What they need is made in the directory and in
/// a group of the run.
std::vector<LaunchPeer> launch_peers(const PeerMeans& means);

/// The program in the directories of PATH; "" if there is none.
std::string find_program(const std::string& name, const std::string& path);

/// "-g", "cpu:/a/b" and so on for cgexec: where a group with these directories is. Nothing if they
/// are not below /sys/fs/cgroup.
std::vector<std::string> cgexec_groups(cgroup::Version version,
                                       const std::vector<std::string>& directories);

}  // namespace heddle::bench
