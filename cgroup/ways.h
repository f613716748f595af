#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cgroup/detect.h"
#include "common/result.h"

namespace heddle::cgroup {

/// Facts that determine how a user can get control groups of their own.
struct WayFacts {
  bool root = false;
  std::string user;  ///< name, or the number if the user has no name
  uid_t uid = 0;
  pid_t shell = 0;            ///< the shell that started this process: its parent
  bool systemd = false;       ///< systemd is the system's manager, and systemd-run exists
  bool user_manager = false;  ///< the user has their own manager: a session
  Layout layout;              ///< this process's own groups
  /// v2: the controllers among cpu, memory and pids that the user's manager can't pass on. Without
  /// such a manager, those that our own group can't pass on.
  std::vector<std::string> missing;
};

/// A way to get control groups, with the commands to type. Lines that begin with "# " explain the
/// lines after them.
struct Way {
  std::string title;
  std::vector<std::string> lines;
  friend bool operator==(const Way&, const Way&) = default;
};

/// Returns what this user may do, or ask root to do, so that `heddle run` finds a place for its
/// groups. The easiest way comes first. Pure. Sources: systemd.resource-control(5) (Delegate=),
/// user@.service(5), Documentation/admin-guide/cgroup-v2.rst (delegation), cgroup-v1/cgroups.rst.
std::vector<Way> ways_to_groups(const WayFacts& facts);

/// Formats the ways for people: each way's title, then its lines, indented.
std::string format_ways(const std::vector<Way>& ways);

/// Returns the facts of this process. Error: as for detect().
Result<WayFacts> way_facts();

/// Returns the text for doctor and for a run that found no home; "" if no control groups are
/// mounted.
std::string ways_text();

}  // namespace heddle::cgroup
