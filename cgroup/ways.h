#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cgroup/detect.h"
#include "common/result.h"

namespace heddle::cgroup {

/// What the ways to control groups of one's own depend on.
struct WayFacts {
  bool root = false;
  std::string user;  ///< name, or the number where it has none
  uid_t uid = 0;
  pid_t shell = 0;            ///< whose command line this was: our parent
  bool systemd = false;       ///< it runs as the system's manager, and systemd-run is there
  bool user_manager = false;  ///< the user has a manager of its own: a session
  Layout layout;              ///< our own groups
  /// v2: of cpu, memory and pids those that the user's manager, or else our own group, has not to
  /// pass on.
  std::vector<std::string> missing;
};

/// One way, with what to type; lines that begin with "# " say something of those that follow.
struct Way {
  std::string title;
  std::vector<std::string> lines;
  friend bool operator==(const Way&, const Way&) = default;
};

/// What this user may do, or have root do, so that `heddle run` finds a place for its groups, the
/// least trouble first. Pure. Sources: systemd.resource-control(5) (Delegate=), user@.service(5),
/// Documentation/admin-guide/cgroup-v2.rst (delegation), cgroup-v1/cgroups.rst.
std::vector<Way> ways_to_groups(const WayFacts& facts);

/// For people: each way's title, then its lines, indented.
std::string format_ways(const std::vector<Way>& ways);

/// The facts of this process. Error: as detect().
Result<WayFacts> way_facts();

/// What doctor says, and a run that found no place; "" where nothing of the kind is mounted.
std::string ways_text();

}  // namespace heddle::cgroup
