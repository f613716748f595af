#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cgroup/driver.h"

/// Proves whose a group is. A group named heddle-... may belong to another login, a container that
/// shares the cgroup mount, an earlier build, or anybody. So the worker that makes a node's group
/// first locks it and then marks it (Driver::hold, Driver::mark), before it puts anything in. The
/// mark shows that Heddle made the group, and the lock shows whether the worker is alive. A dead
/// run leaves
/// - a group with a mark, of this user, that nobody holds: it is killed and removed;
/// - a group without a mark that a run directory of ours records: its worker was killed before it
///   had marked the group, so no process is in it. The group is removed if that is true.
///
/// Every other group is left as it is, its caps included.
namespace heddle::cgroup {

/// Says what may be done with a group that nobody holds.
enum class Standing {
  kGone,
  kOurs,        ///< kill its processes and remove it
  kUnfinished,  ///< remove it if no process is in it
  kUnproven,    ///< leave it
};

/// Decides the standing; a pure function. `recorded`: a run directory of ours, whose run is dead,
/// names the group. If the kernel keeps no marks, that record is the only proof.
Standing standing_of(const Owner& owner, bool recorded);

/// A group that was not removed.
struct LeftGroup {
  enum class Why {
    kHeld,      ///< a living process holds it
    kUnproven,  ///< nothing shows that it is ours
  };
  std::string group;
  Why why;
  friend bool operator==(const LeftGroup&, const LeftGroup&) = default;
};

/// Makes a group that no other process may remove while this one lives. The parent must exist.
/// First removes what a dead worker left of the group, then makes, locks and marks it. Returns the
/// descriptors that hold it. Waits up to `limit` for a process that holds the group and for the end
/// of processes that it kills. Error: another process holds the group, or nothing shows that it is
/// ours. On failure removes what it made.
Result<std::vector<Fd>> claim(Driver& driver, const std::string& group,
                              std::chrono::milliseconds limit);

/// Makes the group of a run, which contains the groups of its nodes. Succeeds if another worker of
/// the run has made it. Error: the group exists and nothing shows that Heddle made it.
Result<void> make_run_group(Driver& driver, const std::string& group);

/// Returns an error if a group of that run and node exists and nothing shows that it is ours. For a
/// worker that gets these names from a master, before a run directory records them.
Result<void> check_recordable(const Driver& driver, const std::string& run,
                              const std::string& node);

/// Removes those groups of a run that are provably ours and dead, then the run's own group if it is
/// empty. `node`: only this node's group; "": all. `recorded`: as for standing_of; then also waits,
/// within `limit`, for processes that hold a group, since they are about to die. Returns the groups
/// that were left: those that are held and those beside them; if none is held, the run's group
/// stands for all in it. If `node` is given, only that node's group is reported. Error: a group
/// that is ours could not be removed.
Result<std::vector<LeftGroup>> remove_run(Driver& driver, const std::string& run,
                                          const std::string& node, bool recorded,
                                          std::chrono::milliseconds limit);

/// Returns the processes in and below a group, ascending.
std::vector<pid_t> processes_in(const Driver& driver, const std::string& group);

/// Returns a shell command that removes the group from all hierarchies if no process is in it.
std::string removal_command(const Driver& driver, const std::string& group);

}  // namespace heddle::cgroup
