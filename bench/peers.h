#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/launch_ways.h"

namespace heddle {

/// Another program that starts programs in control groups.
struct LaunchPeer {
  std::string name;
  std::unique_ptr<LaunchWay> way;  ///< null: not here
  std::string note;                ///< then why
};

/// cgexec into a group that is there, crun with a bundle, each starting heddle-task, which ends at
/// once without its page. What they need is made in `directory`, which is the caller's to remove,
/// and in a group of the run.
std::vector<LaunchPeer> launch_peers(cgroup::Driver& driver, const std::string& run,
                                     const std::string& directory, const std::string& task_program);

/// The program in the directories of PATH; "" if there is none.
std::string find_program(const std::string& name, const std::string& path);

/// "-g", "cpu:/a/b" and so on for cgexec: where a group with these directories is. Nothing if they
/// are not below /sys/fs/cgroup.
std::vector<std::string> cgexec_groups(cgroup::Version version,
                                       const std::vector<std::string>& directories);

}  // namespace heddle
