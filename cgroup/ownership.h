#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cgroup/driver.h"

/// Functions that prove whether a group is ours. A group named heddle-... can also belong to
/// another login, to a container that shares the cgroup mount, to an earlier build or to any other
/// program. Therefore a worker that makes a node's group first locks the group and then marks it
/// (Driver::hold, Driver::mark), before it puts a process into the group. The mark shows that
/// Heddle made the group. The lock shows whether the worker is alive. A dead run can leave two
/// kinds of groups:
/// - A group with a mark that belongs to this user and that no process holds. Its processes are
///   killed, and it is removed.
/// - A group without a mark that one of our run directories records. Its worker was killed before
///   it had marked the group, so the group should be empty. If it is empty, it is removed.
///
/// Every other group stays as it is, with its caps.
namespace heddle::cgroup {

/// Steps that we are allowed to take with a group that no process holds.
enum class Standing {
  kGone,
  kOurs,        ///< kill its processes and remove it
  kUnfinished,  ///< remove it if no process is in it
  kUnproven,    ///< leave it
};

/// Returns the standing of a group. Pure. `recorded` says whether a run directory of ours names the
/// group and the run of that directory is dead. If the kernel keeps no marks, this record is the
/// only proof.
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

/// Makes a group and holds it, so that no other Heddle process removes the group while this process
/// lives. The parent must exist. First removes what a dead worker left of the group. Then makes,
/// locks and marks the group. Returns the descriptors that hold the lock. If another process holds
/// the group, waits for it, and also waits for the end of processes that it kills, both at most
/// `limit`. Error: another process still holds the group, or the group is not provably ours. On
/// failure, removes what it has made.
Result<std::vector<Fd>> claim(Driver& driver, const std::string& group,
                              std::chrono::milliseconds limit);

/// Makes the group of a run, which contains the groups of its nodes. Succeeds if another worker of
/// the run has made it already. Error: the group exists and nothing shows that Heddle made it.
Result<void> make_run_group(Driver& driver, const std::string& group);

/// Returns an error if a group of that run or node exists and is not provably ours. A worker that
/// gets the two names from a master calls this before it records them in its run directory.
Result<void> check_recordable(const Driver& driver, const std::string& run,
                              const std::string& node);

/// Removes the groups of a run that are provably ours and dead, and afterwards the run's group if
/// it is empty. If `node` is not "", handles only this node's group and the run's group. `recorded`
/// is as for standing_of. If it is true, waits at most `limit` for processes that hold a group,
/// because they will end soon. Returns the groups that it did not remove:
/// - If `node` is given, that node's group.
/// - If a process holds a group of the run, all groups of nodes that are left.
/// - Otherwise, only the run's group, for all groups in it.
///
/// Error: a group that is ours could not be removed.
Result<std::vector<LeftGroup>> remove_run(Driver& driver, const std::string& run,
                                          const std::string& node, bool recorded,
                                          std::chrono::milliseconds limit);

/// Returns the processes in a group and in all groups below it, ascending.
std::vector<pid_t> processes_in(const Driver& driver, const std::string& group);

/// Returns a shell command that removes the group from all hierarchies if no process is in it.
std::string removal_command(const Driver& driver, const std::string& group);

}  // namespace heddle::cgroup
