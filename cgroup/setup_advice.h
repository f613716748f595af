#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cgroup/detect.h"
#include "common/result.h"

namespace heddle::cgroup {

/// Facts that determine how a user can get control groups of their own.
struct SetupFacts {
  bool root = false;
  std::string user;  ///< name, or the number if the user has no name
  uid_t uid = 0;
  pid_t shell = 0;            ///< the shell that started this process: its parent
  bool systemd = false;       ///< systemd is the system's manager, and systemd-run exists
  bool user_manager = false;  ///< systemd runs a manager for the user: a session
  Layout layout;              ///< this process's own groups
  /// v2: the controllers of cpu, memory and pids that the user's manager can't pass on. Without
  /// such a manager, the controllers that our own group can't pass on.
  std::vector<std::string> missing;
};

/// A way to get control groups, with the commands to type. A line that begins with "# " explains
/// the lines after it.
struct SetupOption {
  std::string title;
  std::vector<std::string> lines;
  friend bool operator==(const SetupOption&, const SetupOption&) = default;
};

/// Returns the ways in which this user can get a home for the groups of `heddle run`. The user
/// follows a way alone, or asks root to do it. The easiest way comes first. Pure. Sources:
/// systemd.resource-control(5) (Delegate=), user@.service(5),
/// Documentation/admin-guide/cgroup-v2.rst (delegation), cgroup-v1/cgroups.rst.
std::vector<SetupOption> setup_options(const SetupFacts& facts);

/// Formats the ways for the user: for each way its title, and then its lines, indented.
std::string format_options(const std::vector<SetupOption>& ways);

/// Returns the facts about this process. Errors: as for detect().
Result<SetupFacts> setup_facts();

/// Returns the text that `heddle doctor` shows, and `heddle run` if it finds no home. Returns "" if
/// no control groups are mounted.
std::string setup_advice();

}  // namespace heddle::cgroup
