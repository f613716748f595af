#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cgroup/driver.h"

/// Whose a group is. A group named heddle-… may be of another login, of a container that shares the
/// cgroup mount, of an earlier build, or of anybody. So the worker that makes a node's group first
/// locks it and then marks it (Driver::hold, Driver::mark), before anything is in it: a mark says
/// that Heddle made the group, its lock whether the worker lives. What a dead run left is
/// - a group with a mark, of this user, that nobody holds: killed and removed;
/// - a group without a mark that a run directory of ours records: its worker was killed before it
///   had marked the group, so no process is in it; removed if that is true.
/// Everything else is left as it is, its caps included.
namespace heddle::cgroup {

/// What may be done with a group that nobody holds.
enum class Standing {
  kGone,
  kOurs,        ///< kill what is in it, remove it
  kUnfinished,  ///< remove it if no process is in it
  kUnproven,    ///< leave it
};

/// Pure. `recorded`: a run directory of ours, whose run is dead, names the group. Where the kernel
/// keeps no marks, that record has to do.
Standing standing_of(const Owner& owner, bool recorded);

/// A group that was left.
struct LeftGroup {
  enum class Why {
    kHeld,      ///< by a process that lives
    kUnproven,  ///< nothing shows that it is ours
  };
  std::string group;
  Why why;
  friend bool operator==(const LeftGroup&, const LeftGroup&) = default;
};

/// Makes a group that only this process may remove while it lives, its parent being there: removes
/// what a dead worker left of it, makes, locks and marks it. Returns what holds it. Waits up to
/// `limit` for a process that holds it and for what is killed in it. Error: it is held, or nothing
/// shows that it is ours; on failure nothing is left that was not there.
Result<std::vector<Fd>> claim(Driver& driver, const std::string& group,
                              std::chrono::milliseconds limit);

/// Makes the group of a run, in which the nodes' are, or finds it as another worker of the run made
/// it. Error: it is there and nothing shows that Heddle made it.
Result<void> make_run_group(Driver& driver, const std::string& group);

/// Error if a group of that run and node is there already and nothing shows that it is ours. For
/// one to whom a master tells the names, before a run directory records them.
Result<void> check_recordable(const Driver& driver, const std::string& run,
                              const std::string& node);

/// Removes of a run's groups what is provably ours and dead, then the run's own if it is empty.
/// `node`: only this node's; "" all. `recorded`: as standing_of; then it also waits, within
/// `limit`, for holders, which are about to die. Returns what was left: the groups that are held
/// and those beside them, or, if nobody holds one, the run's group for all that is in it. If `node`
/// is given, only that node's. Error: a group that is ours could not be removed.
Result<std::vector<LeftGroup>> remove_run(Driver& driver, const std::string& run,
                                          const std::string& node, bool recorded,
                                          std::chrono::milliseconds limit);

/// Processes in and below a group, ascending.
std::vector<pid_t> processes_in(const Driver& driver, const std::string& group);

/// A command for a shell that removes the group, in all hierarchies, if no process is in it.
std::string removal_command(const Driver& driver, const std::string& group);

}  // namespace heddle::cgroup
