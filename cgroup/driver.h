#pragma once

#include <sys/types.h>

#include <algorithm>
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

/// Cap on a group's CPU. The cap is a hard bound and does not divide CPU between groups
/// (docs/explanation/architecture.md, CPU). With `burst`, a group can save unused quota, at most
/// one quota, and use it in a later period (cpu.cfs_burst_us, cpu.max.burst; kernel/sched/fair.c).
struct CpuCap {
  std::optional<real::Cpus> cpus;  ///< nullopt: no cap
  std::chrono::microseconds period{20'000};
  bool burst = false;
  friend bool operator==(const CpuCap&, const CpuCap&) = default;
};

/// A group's share of CPU in comparison with its siblings' (cpu.shares, cpu.weight), on the scale
/// of v2: from 1 to 10000. kUrgent is the largest weight that the kernel has, 256 times (v1) or 100
/// times (v2) the usual one, so the kernel's scheduler runs the group's threads before those of its
/// siblings (kernel/sched/fair.c).
struct CpuWeight {
  int value = 100;
  static const CpuWeight kUsual, kUrgent;
  friend bool operator==(const CpuWeight&, const CpuWeight&) = default;
};
inline constexpr CpuWeight CpuWeight::kUsual{100};
inline constexpr CpuWeight CpuWeight::kUrgent{10'000};

struct MemoryCap {
  std::optional<real::Bytes> limit;  ///< nullopt: no limit
  bool swap = false;                 ///< the group can also use swap
  friend bool operator==(const MemoryCap&, const MemoryCap&) = default;
};

struct CpuStats {
  real::Duration usage{0};
};

/// State of a group's directories that shows who made the group.
struct Owner {
  int directories = 0;     ///< existing directories of the group; 0: there is no such group
  int marked = 0;          ///< existing directories that have Heddle's mark for this group
  bool ours = true;        ///< all existing directories belong to this process's user
  bool marks_kept = true;  ///< false: this kernel keeps no marks on groups
  friend bool operator==(const Owner&, const Owner&) = default;
};

struct MemoryStats {
  real::Bytes current;
  real::Bytes peak;           ///< highest charge since creation or reset_peak; 0 if unknown
  std::int64_t oom = 0;       ///< times that its own limit was hit (oom.h; v2: memory.events.local)
  std::int64_t oom_kill = 0;  ///< processes of this group killed for lack of memory
};

/// Memory of a group and of the groups below it. The two values are read one after the other.
struct MemoryUse {
  real::Bytes charge;  ///< all that the kernel charges to the group
  real::Bytes cache;   ///< page cache, which the kernel takes back when it needs to (parse_cache)
  /// Returns the part that the processes themselves use.
  real::Bytes own() const { return std::max(charge - cache, real::Bytes(0)); }
  friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

/// Creates, changes, reads and removes the kernel's control groups. The name of a group is its path
/// below the driver's home, such as "run-7/n1/c3". The name "" is the home itself. On v1, one call
/// acts on every hierarchy that we use.
///
/// Every function can fail, and the text of the error names the group. The error is kMachine if
/// there is no permission, or if a controller or a file is missing. The error is kAborted if the
/// kernel refused, and its text then names the file and the value. If another process has removed
/// the group, remove, kill and members succeed, and all other functions fail with ENOENT. Not
/// thread-safe.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual Version version() const = 0;
  /// Returns the directories of the group, for messages and tests. On v2 there is one directory. On
  /// v1 there is one per hierarchy, and the directory in the hierarchy of cpu comes first.
  virtual std::vector<std::string> directories(const std::string& group) const = 0;

  /// Makes the group and enables its controllers (v2: in cgroup.subtree_control of the parent). The
  /// parent must exist. Succeeds if the group exists already. On failure, removes what it has made.
  virtual Result<void> create(const std::string& group) = 0;
  /// Removes an empty group. Succeeds if the group does not exist. Error code EBUSY: the group
  /// still has processes or children.
  virtual Result<void> remove(const std::string& group) = 0;
  virtual bool exists(const std::string& group) const = 0;
  /// Returns the names of the child groups, sorted.
  virtual Result<std::vector<std::string>> children(const std::string& group) const = 0;

  // Proof of ownership (ownership.h). Each function acts on all directories of the group, on v1 and
  // on v2.

  /// Marks the group as made by Heddle, with an extended attribute whose value is the group's name.
  /// Closes the group's directories to other users, so that other users cannot hold the group.
  /// Returns false if this kernel does not keep such attributes.
  virtual Result<bool> mark(const std::string& group);
  virtual Result<Owner> owner(const std::string& group) const;
  /// Locks the existing directories of the group with flock. The lock lasts until the descriptors
  /// are closed or this process ends. All namespaces see the same directory, so the lock also
  /// excludes processes in other mount, PID and cgroup namespaces. Does not wait. Error codes:
  /// EWOULDBLOCK if another process holds one of the directories, ENOENT if the group does not
  /// exist or was removed during the call.
  virtual Result<std::vector<Fd>> hold(const std::string& group);

  /// Returns descriptors of files. A process with one thread joins the group by writing "0" to each
  /// file.
  virtual Result<std::vector<Fd>> open_attach(const std::string& group) = 0;
  /// Opens the group's directory for clone3(CLONE_INTO_CGROUP). Works only on v2. Error on v1:
  /// kMachine.
  virtual Result<Fd> open_directory(const std::string& group) = 0;
  /// Moves a process with all its threads into the group.
  virtual Result<void> attach(const std::string& group, pid_t pid) = 0;

  /// Sets the cap. Rounds the quota to the nearest microsecond (representable() in formats.h). v1
  /// refuses a cap above the parent's cap (EINVAL).
  virtual Result<void> set_cpu(const std::string& group, const CpuCap& cap) = 0;
  virtual Result<CpuCap> cpu(const std::string& group) const = 0;
  virtual Result<void> set_cpu_weight(const std::string& group, CpuWeight weight) = 0;
  /// Sets the limit. If the group uses more memory than the limit, v1 refuses the limit (EBUSY),
  /// and v2 kills processes of the group.
  virtual Result<void> set_memory(const std::string& group, const MemoryCap& cap) = 0;
  virtual Result<MemoryCap> memory(const std::string& group) const = 0;
  /// Sets the maximum number of processes and threads in and below the group. nullopt means no
  /// limit.
  virtual Result<void> set_pids(const std::string& group, std::optional<std::int64_t> most) = 0;
  /// Lets the OOM killer always kill all processes of the group at once (memory.oom.group). Does
  /// nothing on v1, where NodeTree kills the remaining processes.
  virtual Result<void> set_oom_group(const std::string& group) = 0;

  virtual Result<CpuStats> cpu_stats(const std::string& group) const = 0;
  virtual Result<MemoryStats> memory_stats(const std::string& group) const = 0;
  /// Returns MemoryUse::charge.
  virtual Result<real::Bytes> memory_charge(const std::string& group) const = 0;
  /// Returns MemoryUse::cache. Reading it takes longer than reading the charge.
  virtual Result<real::Bytes> memory_cache(const std::string& group) const = 0;
  /// Opens the file that lets the kernel take back memory of the group (memory.force_empty on v1,
  /// memory.reclaim on v2). Error code ENOENT: the kernel has no such file (v2 before Linux 5.19).
  virtual Result<Fd> open_reclaim(const std::string& group) const = 0;
  /// Restarts the measurement of the peak at the current charge. Returns false if this kernel can't
  /// do that (v2 before Linux 6.12).
  virtual Result<bool> reset_peak(const std::string& group) = 0;
  /// Opens the file with the group's memory use. Each read from offset 0 gives the current number
  /// of bytes.
  virtual Result<Fd> open_memory_use(const std::string& group) const = 0;
  /// Returns a watch that fires when the group runs out of memory. The watch also fires for some
  /// other groups (OomWatch).
  virtual Result<OomWatch> watch_oom(const std::string& group) = 0;

  /// Returns the processes in the group, without its child groups, ascending.
  virtual Result<std::vector<pid_t>> members(const std::string& group) const = 0;
  /// Returns whether any process is in the group. REQUIRES: the caller has reaped the processes
  /// that it started there.
  virtual Result<bool> has_members(const std::string& group) const {
    Result<std::vector<pid_t>> all = members(group);
    if (!all) return std::move(all).error();
    return !all->empty();
  }
  /// Sends SIGKILL to every process in and below the group, and repeats that until no new process
  /// appears. Does not wait for the end of the processes. Also works on stopped processes, and on
  /// frozen processes, which it thaws.
  virtual Result<void> kill(const std::string& group) = 0;
  /// Thaws the group, or starts to freeze it. Freezing a throttled process takes a period of the
  /// CPU cap, unless the cap is lifted first.
  virtual Result<void> freeze(const std::string& group, bool frozen) = 0;
  /// Returns whether all processes of the group have stopped. REQUIRES: the last call of freeze()
  /// was to freeze.
  virtual Result<bool> frozen(const std::string& group) const = 0;
};

}  // namespace heddle::cgroup
