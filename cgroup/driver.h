#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/oom.h"
#include "common/fd.h"
#include "common/result.h"
#include "common/units.h"

namespace heddle::cgroup {

enum class Version { kV1, kV2 };  ///< kV1: v1 hierarchies, pure or hybrid

/// Cap on a group's CPU: a hard bound, not a way to share CPU (docs/explanation/architecture.md,
/// CPU). With `burst` a group may use up to one more quota, saved up in idle periods
/// (cpu.cfs_burst_us, cpu.max.burst; kernel/sched/fair.c).
struct CpuCap {
  std::optional<real::Cpus> cpus;  ///< nullopt: no cap
  std::chrono::microseconds period{20'000};
  bool burst = false;
  friend bool operator==(const CpuCap&, const CpuCap&) = default;
};

struct MemoryCap {
  std::optional<real::Bytes> limit;  ///< nullopt: no limit
  bool swap = false;                 ///< the group may use swap on top of the limit
  friend bool operator==(const MemoryCap&, const MemoryCap&) = default;
};

struct CpuStats {
  real::Duration usage{0};
  std::int64_t throttled_periods = 0;
};

/// Describes who made a group, from the state of its directories.
struct Owner {
  int directories = 0;     ///< existing directories of the group; 0: there is no such group
  int marked = 0;          ///< existing directories that carry Heddle's mark of this very group
  bool ours = true;        ///< all existing directories belong to this process's user
  bool marks_kept = true;  ///< false: this kernel keeps no marks on groups
  friend bool operator==(const Owner&, const Owner&) = default;
};

struct MemoryStats {
  real::Bytes current;
  real::Bytes peak;  ///< highest since creation or reset_peak; 0 if the kernel keeps no peak
  std::int64_t oom =
      0;  ///< times that this group's own limit was hit for good (v2: memory.events.local oom)
  std::int64_t oom_kill = 0;  ///< processes of this group killed for lack of memory
};

/// Creates, changes, reads and removes the kernel's control groups. A group is named by its path
/// below the driver's home, such as "run-7/n1/c3"; "" is the home itself. On v1 one call acts on
/// every hierarchy that we use.
///
/// Every function may fail with kMachine (no permission, or a controller or file is missing) or
/// kAborted (the kernel refused; the text names file and value). The error's text names the group.
/// If another process has removed the group, remove, kill and members succeed, and all others fail
/// with ENOENT. Not thread-safe.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual Version version() const = 0;
  /// Returns the directories of the group: one on v2, one per hierarchy on v1 (that of cpu first).
  /// For messages and tests.
  virtual std::vector<std::string> directories(const std::string& group) const = 0;

  /// Makes the group and enables the controllers that its children will need (v2:
  /// cgroup.subtree_control of the parent). The parent must exist. Succeeds if the group exists
  /// already. On failure nothing of the group is left behind.
  virtual Result<void> create(const std::string& group) = 0;
  /// Removes an empty group. Succeeds if the group does not exist. Error code EBUSY: the group
  /// still has processes or children.
  virtual Result<void> remove(const std::string& group) = 0;
  virtual bool exists(const std::string& group) const = 0;
  /// Returns the names of the child groups, sorted.
  virtual Result<std::vector<std::string>> children(const std::string& group) const = 0;

  // Proof of ownership (ownership.h). Each function acts on all directories of the group, on v1 and
  // v2 alike.

  /// Marks the group as one of Heddle's with an extended attribute whose value is the group's name.
  /// Closes the group's directories to other users, so that none of them can hold the group.
  /// Returns false if this kernel keeps no such attribute.
  virtual Result<bool> mark(const std::string& group);
  virtual Result<Owner> owner(const std::string& group) const;
  /// Locks the existing directories of the group with flock. The lock lasts as long as the
  /// descriptors are open, at most as long as this process lives. The kernel has one directory for
  /// all namespaces, so the lock also excludes processes in other mount, PID and cgroup namespaces.
  /// Does not wait. Error codes: EWOULDBLOCK if another process holds one of the directories,
  /// ENOENT if there is no such group (any more).
  virtual Result<std::vector<Fd>> hold(const std::string& group);

  /// Returns descriptors of files. A process of one thread joins the group by writing "0" to each.
  virtual Result<std::vector<Fd>> open_attach(const std::string& group) = 0;
  /// Opens the group's directory for clone3(CLONE_INTO_CGROUP). v2 only; kMachine on v1.
  virtual Result<Fd> open_directory(const std::string& group) = 0;
  /// Moves a whole process.
  virtual Result<void> attach(const std::string& group, pid_t pid) = 0;

  /// Sets the cap, rounded to the nearest microsecond of quota: see representable() in formats.h.
  /// v1 refuses a cap above the parent's (EINVAL).
  virtual Result<void> set_cpu(const std::string& group, const CpuCap& cap) = 0;
  virtual Result<CpuCap> cpu(const std::string& group) const = 0;
  /// Sets the limit. If more memory is in use, v1 refuses (EBUSY) and v2 kills.
  virtual Result<void> set_memory(const std::string& group, const MemoryCap& cap) = 0;
  virtual Result<MemoryCap> memory(const std::string& group) const = 0;
  /// Sets the maximum number of processes and threads in and below the group; nullopt: no limit.
  virtual Result<void> set_pids(const std::string& group, std::optional<std::int64_t> most) = 0;
  /// v2: sets memory.oom.group, so that the kernel kills all processes of the group at once. v1:
  /// does nothing (NodeTree kills the rest).
  virtual Result<void> set_oom_group(const std::string& group) = 0;

  virtual Result<CpuStats> cpu_stats(const std::string& group) const = 0;
  virtual Result<MemoryStats> memory_stats(const std::string& group) const = 0;
  /// Restarts the peak at the current use. Returns false if this kernel can't (v2 before 6.12).
  virtual Result<bool> reset_peak(const std::string& group) = 0;
  /// Opens the group's memory use for reading: a number of bytes when read from offset 0.
  virtual Result<Fd> open_memory_use(const std::string& group) const = 0;
  /// Returns a watch that fires when the group runs out of memory. OomWatch says for which other
  /// groups it fires as well.
  virtual Result<OomWatch> watch_oom(const std::string& group) = 0;

  /// Returns the processes in the group itself, ascending.
  virtual Result<std::vector<pid_t>> members(const std::string& group) const = 0;
  /// Returns whether any process is in the group. REQUIRES: the caller has reaped the processes
  /// that it started there.
  virtual Result<bool> has_members(const std::string& group) const {
    Result<std::vector<pid_t>> all = members(group);
    if (!all) return std::move(all).error();
    return !all->empty();
  }
  /// Sends SIGKILL to every process in and below the group, until no new process appears; does not
  /// wait for their end. Works on frozen and stopped processes (it thaws).
  virtual Result<void> kill(const std::string& group) = 0;
  /// Starts to freeze or thaws the group. Freezing a throttled process takes a period unless its
  /// cap is lifted.
  virtual Result<void> freeze(const std::string& group, bool frozen) = 0;
  /// Returns whether all processes have stopped. REQUIRES: the last request was to freeze.
  virtual Result<bool> frozen(const std::string& group) const = 0;
};

}  // namespace heddle::cgroup
