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

enum class Version { kV1, kV2 };  ///< kV1: v1 hierarchies, hybrid included

/// Cap on CPU, a cage and not a way to share (docs/architecture.md, CPU). Burst allows one more
/// quota saved up from idle periods (cpu.cfs_burst_us, cpu.max.burst; kernel/sched/fair.c).
struct CpuCap {
  std::optional<real::Cpus> cpus;  ///< nullopt: none
  std::chrono::microseconds period{20'000};
  bool burst = false;
  friend bool operator==(const CpuCap&, const CpuCap&) = default;
};

struct MemoryCap {
  std::optional<real::Bytes> limit;  ///< nullopt: none
  bool swap = false;                 ///< may use swap on top of the limit
  friend bool operator==(const MemoryCap&, const MemoryCap&) = default;
};

struct CpuStats {
  real::Duration usage{0};
  std::int64_t throttled_periods = 0;
};

/// What the directories of a group say of who made it.
struct Owner {
  int directories = 0;     ///< that exist; 0: there is no such group
  int marked = 0;          ///< of those, that bear Heddle's mark of this very group
  bool ours = true;        ///< all of them belong to this process's user
  bool marks_kept = true;  ///< false: this kernel keeps no marks on groups
  friend bool operator==(const Owner&, const Owner&) = default;
};

struct MemoryStats {
  real::Bytes current;
  real::Bytes peak;  ///< highest since creation or reset_peak; 0 where the kernel has none
  std::int64_t oom =
      0;  ///< times this group's own limit was hit for good (v2: memory.events.local oom)
  std::int64_t oom_kill = 0;  ///< processes of this group killed for lack of memory
};

/// The kernel's control groups in a few verbs. A group is named by its path below the driver's
/// home, "" being the home itself ("run-7/n1/c3"); on v1 one call acts on every hierarchy we use.
///
/// Every verb may fail with kMachine (permission, missing controller or file) or kAborted (the
/// kernel refused: the text names file and value); the text names the group. ENOENT on a group that
/// someone removed is an error except in remove, kill and members. Not thread-safe.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual Version version() const = 0;
  /// Directories of the group: one on v2, one a hierarchy on v1 (cpu first). For messages and
  /// tests.
  virtual std::vector<std::string> directories(const std::string& group) const = 0;

  /// Makes the group, its parent being there, with the controllers enabled that its children will
  /// need (v2: cgroup.subtree_control of the parent). Exists already: success.
  /// On failure nothing of it is left behind.
  virtual Result<void> create(const std::string& group) = 0;
  /// Removes an empty group; not there: success. EBUSY (code) if processes or children are left.
  virtual Result<void> remove(const std::string& group) = 0;
  virtual bool exists(const std::string& group) const = 0;
  /// Names of child groups, sorted.
  virtual Result<std::vector<std::string>> children(const std::string& group) const = 0;

  // Proof of ownership (ownership.h), the same on v1 and v2: on each of the group's directories.

  /// Marks the group as one of Heddle's: an extended attribute whose value is the group's name.
  /// Other users can't open its directories any more, so none of them can hold it. False where this
  /// kernel keeps no such attribute.
  virtual Result<bool> mark(const std::string& group);
  virtual Result<Owner> owner(const std::string& group) const;
  /// Locks the directories that exist (flock) for as long as the descriptors are open, so for as
  /// long as this process lives. The lock belongs to the kernel's one directory: processes in other
  /// mount, PID and cgroup namespaces meet it. Does not wait. Error codes: EWOULDBLOCK, another
  /// process holds one of them; ENOENT, there is no such group (any more).
  virtual Result<std::vector<Fd>> hold(const std::string& group);

  /// Descriptors of files; a process of one thread that writes "0" to each has joined the group.
  virtual Result<std::vector<Fd>> open_attach(const std::string& group) = 0;
  /// The group's directory for clone3(CLONE_INTO_CGROUP); v2 only, kMachine otherwise.
  virtual Result<Fd> open_directory(const std::string& group) = 0;
  /// Moves a whole process.
  virtual Result<void> attach(const std::string& group, pid_t pid) = 0;

  /// The cap is taken to the nearest microsecond of quota: see representable() in formats.h. On v1
  /// a cap above the parent's is refused (EINVAL).
  virtual Result<void> set_cpu(const std::string& group, const CpuCap& cap) = 0;
  virtual Result<CpuCap> cpu(const std::string& group) const = 0;
  /// v1 refuses a limit below what is in use (EBUSY); v2 kills.
  virtual Result<void> set_memory(const std::string& group, const MemoryCap& cap) = 0;
  virtual Result<MemoryCap> memory(const std::string& group) const = 0;
  /// Most processes and threads below the group; nullopt: no limit.
  virtual Result<void> set_pids(const std::string& group, std::optional<std::int64_t> most) = 0;
  /// v2: memory.oom.group, so that the kernel ends all processes of the group at once; v1: nothing
  /// (the tree kills the rest).
  virtual Result<void> set_oom_group(const std::string& group) = 0;

  virtual Result<CpuStats> cpu_stats(const std::string& group) const = 0;
  virtual Result<MemoryStats> memory_stats(const std::string& group) const = 0;
  /// True if the peak starts anew; false where this kernel can't (v2 before 6.12).
  virtual Result<bool> reset_peak(const std::string& group) = 0;
  /// Read-only descriptor of the group's memory use, a number of bytes when read from offset 0.
  virtual Result<Fd> open_memory_use(const std::string& group) const = 0;
  /// Tells when the group ran out of memory; see OomWatch for whose events fire whose watch.
  virtual Result<OomWatch> watch_oom(const std::string& group) = 0;

  /// Processes in the group itself, ascending.
  virtual Result<std::vector<pid_t>> members(const std::string& group) const = 0;
  /// Any at all. REQUIRES: those that we started are reaped.
  virtual Result<bool> has_members(const std::string& group) const {
    Result<std::vector<pid_t>> all = members(group);
    if (!all) return std::move(all).error();
    return !all->empty();
  }
  /// SIGKILL to every process in and below the group, repeated until none is born any more; does
  /// not wait for them to be gone. Works on frozen and stopped processes (it thaws).
  virtual Result<void> kill(const std::string& group) = 0;
  /// Begins to freeze, which takes a throttled process a period unless its cap is lifted; or thaws.
  virtual Result<void> freeze(const std::string& group, bool frozen) = 0;
  /// True once all processes have stopped. REQUIRES: freeze was the last that was asked for.
  virtual Result<bool> frozen(const std::string& group) const = 0;
};

}  // namespace heddle::cgroup
