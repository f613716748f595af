#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/driver.h"

namespace heddle::cgroup {

/// A place below which our groups may live, and the steps that undo what was done to get it.
struct Home {
  Version version = Version::kV2;
  /// Address of the home, for find_home and open_home; other processes of the run get it as
  /// --cgroup. (On v1 a process's own group differs between hierarchies, so no single path names
  /// it.)
  std::string address;
  std::string how;  ///< for doctor and logs, such as "our own group /a"
  std::unique_ptr<Driver> driver;
  std::vector<std::function<void()>> undo;  ///< steps that leave_home runs, last first
};

/// Called with the directory of a group before find_home makes it. If we are killed, whoever
/// removes what we leave has to know this directory.
using NoteGroup = std::function<Result<void>(const std::string& directory)>;

/// Finds a home. `wanted` (--cgroup PATH), if given, is an address or the path of a group below the
/// mount points, which is made if missing. The path may begin with a mount point. Without `wanted`,
/// the places are:
///
/// - v1: the caller's own group in each hierarchy.
/// - v2: the own group if it is writable and ours alone; we move into a leaf of it. Else the
///   nearest group above that is writable, holds no process and has the controllers. The root group
///   counts as holding none, so without systemd root's home is directly below the mount point. With
///   systemd the caller first re-executes itself through systemd_scope_command, which makes the own
///   group fit.
///
/// Error (kMachine): what was tried, why each failed and how to get a home; all changes are undone.
Result<Home> find_home(const std::optional<std::string>& wanted, const NoteGroup& note = {});

/// Opens a home that find_home found in another process of this run (Home::address); changes
/// nothing. A path instead of an address is handled as by find_home, and leave_home undoes the
/// changes.
Result<Home> open_home(const std::string& address);

/// Undoes what find_home did to the hierarchy, unless another run lives there by then: disables
/// controllers, moves us back, removes the leaf and a group that was made. Call it when our
/// children have ended. Ignores errors.
void leave_home(Home& home);

/// Returns the command line that re-executes `argv` in a delegated scope of systemd (`systemd-run
/// --scope ... argv`). Returns nothing if that isn't needed (v1, or the own group is suitable), if
/// it was done already, or if there is no systemd that we may ask. The command sets the variable
/// HEDDLE_SCOPE, which shows that it was done.
std::optional<std::vector<std::string>> systemd_scope_command(const std::vector<std::string>& argv);

}  // namespace heddle::cgroup
