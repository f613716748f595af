#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/driver.h"

namespace heddle::cgroup {

/// A place below which our groups may live, and what was done to have it.
struct Home {
  Version version = Version::kV2;
  /// What other processes of the same run are given as --cgroup: a text for find_home and open_home
  /// (v1: a process's own group differs between hierarchies, so no one path names it).
  std::string address;
  std::string how;  ///< a sentence for doctor and logs: "own group, ourselves moved to a leaf"
  std::unique_ptr<Driver> driver;
  std::vector<std::function<void()>> undo;  ///< what leave_home runs, last first
};

/// Told of the directory of a group before find_home makes it: whoever removes what we leave,
/// should we be killed, has to know of it.
using NoteGroup = std::function<Result<void>(const std::string& directory)>;

/// Finds a home, in this order. `wanted` (--cgroup PATH), if given: an address, or the path of a
/// group below the mount points (with or without the mount point in front), made if missing. v1:
/// below the caller's own group of each hierarchy. v2: the own group if writable and ours alone (we
/// move into a leaf of it); else the nearest group above that is writable, holds no process and has
/// the controllers. The root group counts as holding none: without systemd, root ends up right
/// below the mount point. With systemd the caller first re-executes itself through
/// systemd_scope_command, which makes the own group fit. Error (kMachine): what was tried, why each
/// failed, how to get one; nothing is left changed.
Result<Home> find_home(const std::optional<std::string>& wanted, const NoteGroup& note = {});

/// Opens a home that find_home of another process of this run found (Home::address), and changes
/// nothing. A path instead of an address is as for find_home; leave_home undoes that.
Result<Home> open_home(const std::string& address);

/// Undoes what find_home did to the hierarchy (disables controllers, moves us back, removes the
/// leaf and a group that was made), unless another run lives there by now. Call it when our
/// children have ended. Best effort.
void leave_home(Home& home);

/// Command line to re-execute in a delegated scope of systemd (`systemd-run --scope …` before
/// `argv`), or nothing where that isn't needed (own group is fine, v1), was done already or there
/// is no systemd that we may ask. Done already: the variable HEDDLE_SCOPE is set, which the command
/// does.
std::optional<std::vector<std::string>> systemd_scope_command(const std::vector<std::string>& argv);

}  // namespace heddle::cgroup
