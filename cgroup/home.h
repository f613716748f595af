#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/driver.h"

namespace heddle::cgroup {

/// A group below which we can make our groups, and the steps that undo the changes that were
/// necessary to get it.
struct Home {
  Version version = Version::kV2;
  /// Address of the home (detect.h), for find_home and open_home. Other processes of the run get it
  /// as --cgroup. An address is necessary because on v1 a process can be in a different group in
  /// each hierarchy, so that no single path names them.
  std::string address;
  std::string how;        ///< for doctor and logs, such as "our own group /a"
  std::string cpu_reach;  ///< group in which the CPU weight of a run below this home acts
  std::unique_ptr<Driver> driver;
  std::vector<std::function<void()>> undo;  ///< steps that leave_home runs, last first
};

/// Function that find_home calls with the directory of a group before it makes the group. The
/// function records the directory, so that the group can be removed if we are killed.
using NoteGroup = std::function<Result<void>(const std::string& directory)>;

/// Finds a home. `wanted` (--cgroup PATH) is an address, or the path of a group below the mount
/// points. The path can begin with a mount point. If the group is missing, find_home makes it.
/// Without `wanted`, find_home tries these groups:
///
/// - v1: the caller's own group in each hierarchy.
/// - v2: the caller's own group, if it is writable and contains no other process. The caller then
///   moves into a new child of it. Otherwise, the nearest group above it that is writable, contains
///   no process and has the controllers. The root group is allowed to contain processes, so the
///   home of root without systemd is the mount point. With systemd, the caller first executes
///   itself again through systemd_scope_command, so that its own group is suitable.
///
/// Error (kMachine): says what was tried, why each attempt failed and how to get a home. All
/// changes are undone.
Result<Home> find_home(const std::optional<std::string>& wanted, const NoteGroup& note = {});

/// Opens a home that find_home found in another process of this run (Home::address). Changes
/// nothing. If `address` is a path instead, does the same as find_home.
Result<Home> open_home(const std::string& address);

/// Lets the kernel run this process and its later children before other programs, as the containers
/// of its run: moves it into a child of the home, in the hierarchy of cpu, that has the largest CPU
/// weight. leave_home moves it back. Does nothing on v2, where find_home does it. Without this, a
/// run works, but the master and the workers wait for their turn behind other programs.
Result<void> protect_this_process(Home& home, const NoteGroup& note);

/// Undoes what find_home did to the hierarchy: moves us back, removes the groups that find_home has
/// made and disables the controllers. Controllers stay enabled if other groups exist there. Call
/// leave_home after our children have ended. Ignores errors.
void leave_home(Home& home);

/// Returns the command line that executes `argv` again in a delegated scope of systemd
/// (`systemd-run --scope ... argv`). The command sets the variable HEDDLE_SCOPE. Returns nullopt in
/// these cases:
/// - No scope is needed: on v1, or if our own group is suitable.
/// - HEDDLE_SCOPE shows that we were already executed in a scope.
/// - There is no systemd that we are allowed to ask.
/// The scope has the largest CPU weight. It is directly below the root of its manager, beside the
/// slices, so that its weight acts on everything that this manager runs.
std::optional<std::vector<std::string>> systemd_scope_command(const std::vector<std::string>& argv);

/// Returns the command that gives this process's scope another CPU weight, or nullopt if this
/// process was not executed in a scope by systemd_scope_command, or if `weight` is what the scope
/// has. REQUIRES: find_home was not called, which moves this process.
std::optional<std::vector<std::string>> scope_weight_command(CpuWeight weight);

}  // namespace heddle::cgroup
