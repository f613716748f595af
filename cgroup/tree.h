#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cgroup/driver.h"
#include "common/oom_cause.h"

namespace heddle::cgroup {

/// Returns the group of a run, relative to the home: "heddle-<run id>".
std::string run_group(const std::string& run);

/// Kills all processes in and below a group, and removes the groups, children first. Takes at most
/// `limit` of wall time. Can be repeated, and works on a partly removed group. REQUIRES: the group
/// is ours (ownership.h).
Result<void> remove_tree(Driver& driver, const std::string& group, std::chrono::milliseconds limit);
/// Does the same for several groups. Kills the processes of all groups at once.
Result<void> remove_trees(Driver& driver, std::vector<std::string> groups,
                          std::chrono::milliseconds limit);

/// Caps of the node's own group, and the CPU weight of the run's group.
struct NodeCaps {
  CpuCap cpu;
  MemoryCap memory;
  CpuWeight run_weight = CpuWeight::kUrgent;
};

struct ContainerCaps {
  CpuCap cpu;
  MemoryCap memory;
};

/// Usage of a container or of a node. CPU and peak of a container count since its slot was
/// acquired. Cache is only read of containers that can have some (NodeTree::count_cache), and of a
/// node that has had such a container. In others, the whole charge counts as memory.
struct ContainerStats {
  real::Duration cpu{0};
  real::Bytes memory;  ///< without cache (MemoryUse::own)
  real::Bytes peak;    ///< highest charge, with cache, as the kernel counts; 0 if it counts none
  real::Bytes cache{0};
};

/// Describes how to drop the page cache that a container has left: `text` is written to `reclaim`
/// until the number in `charge` is at most `enough`. All this can be done in another thread.
struct CacheDrop {
  int slot = 0;
  Fd charge;
  Fd reclaim;
  std::string text;
  real::Bytes enough;
};

/// Manages one worker's part of the tree run / node / container. Makes the groups, changes their
/// caps, keeps a pool of container groups, finds out which limit caused an OOM kill, and removes
/// the groups. Changes caps in the right order, because v1 never accepts a child's cap above its
/// parent's cap. A slot is the number of a container's group. Slots are small numbers and are
/// reused.
///
/// Before a container is stopped or killed, the CPU caps of the node and of the container are
/// lifted, because a throttled process can't handle a signal. Afterwards the caps are restored. If
/// caps are lifted for several containers at once, the node's cap is restored with the last of
/// them.
class NodeTree {
 public:
  /// Makes the groups of the run and of the node, sets the weight of the run's group, sets the
  /// node's caps and reads them back. First
  /// kills and removes what a dead worker of the same node left. Marks the node's group as ours,
  /// and holds it until the tree is destroyed (ownership.h). Errors:
  /// - An existing group is not provably ours, or another process holds it.
  /// - A cap that is read back differs from the cap that was set by more than the rounding to the
  ///   kernel's unit. The error names both values.
  static Result<std::unique_ptr<NodeTree>> create(Driver& driver, const std::string& run,
                                                  const std::string& node, const NodeCaps& caps);
  ~NodeTree();  ///< does not tear down

  /// Takes an empty and clean group from the pool, or makes a new group. Sets these caps and reads
  /// them back. Returns the slot of the group.
  Result<int> acquire(const ContainerCaps& caps);
  /// Returns the slot to the pool. If the group still has a process (a grandchild), kills that
  /// process, and does not reuse the slot before the group is empty. REQUIRES: our children in the
  /// group have been reaped.
  Result<void> release(int slot);

  /// Limits how many processes and threads can be in the slot at once, until the slot is released.
  Result<void> limit_processes(int slot, std::int64_t most);

  /// From now until the release, leaves page cache out of the container's memory. Call it if the
  /// container's processes use files.
  void count_cache(int slot);
  /// Returns the container's use of memory, or nullopt if its charge is at most `known`.
  Result<std::optional<MemoryUse>> memory_above(int slot, real::Bytes known);
  /// Returns the memory limit of the container. REQUIRES: its caps have one.
  real::Bytes memory_limit(int slot) const;
  /// Returns how to drop the page cache of a container that has ended, or nullopt if it has left
  /// little or if this kernel can't drop it. After release, the slot is not reused before
  /// cache_dropped. REQUIRES: the slot is not released yet.
  Result<std::optional<CacheDrop>> begin_drop(int slot);
  void cache_dropped(int slot);

  const std::string& group(int slot) const;
  const std::string& node_group() const;

  Result<std::vector<Fd>> open_attach(int slot);
  Result<Fd> open_directory(int slot);
  Result<Fd> open_memory_use(int slot);

  /// Lifts the CPU caps of the container and of the node until restore, release or teardown. If
  /// they are already lifted for the slot, only calls `first`. Always calls `first` before it lifts
  /// the node's cap. After the node's cap is lifted, all throttled containers of the node run
  /// again, and the caller can lose its CPU to them.
  Result<void> lift(int slot, const std::function<Result<void>()>& first = {});
  Result<void> restore(int slot);
  /// Lets the kernel run the container's threads before those of other containers and nodes of the
  /// run, until restore or release. Call it before lift: lifted caps let all throttled containers
  /// of the node run, and a thread would wait for its turn behind them, up to a tick each (4 ms at
  /// HZ=250).
  Result<void> prefer(int slot);
  bool lifted(int slot) const;
  /// Lifts the CPU caps of the container and of the node, and sends SIGKILL to all processes of the
  /// slot. Call release or restore afterwards, to restore the caps.
  Result<void> kill(int slot);
  /// See Driver::freeze and Driver::frozen. release() thaws the group.
  Result<void> freeze(int slot, bool frozen);
  Result<bool> frozen(int slot) const;

  /// Returns the usage of a container. If the OOM killer has killed some processes of the
  /// container, stats and oom_cause kill its other processes. On v2, the kernel has already killed
  /// them.
  Result<ContainerStats> stats(int slot);
  Result<ContainerStats> node_stats();
  /// Returns the node's present use of memory.
  Result<real::Bytes> node_memory();

  /// Returns a descriptor that is readable after a memory event of the node. Call drain_oom then.
  int oom_fd() const;
  void drain_oom();
  /// Returns whose limit caused the OOM kill of processes of this slot since it was acquired, or
  /// kNone if no process was killed. Call it before release. A container has lost a process if its
  /// counter oom_kill has risen. The cause is the container's own limit if it was hit
  /// (OomEvidence). Otherwise the cause is the node's limit if that was hit. Otherwise the cause is
  /// other: a group above, or the host. See attribute() in oom.h.
  Result<OomCause> oom_cause(int slot);

  /// Kills all processes of the node, and removes the node's group. Removes the run's group if it
  /// is empty afterwards.
  Result<void> teardown(std::chrono::milliseconds limit);

 private:
  struct State;
  explicit NodeTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns the <run id> of every group below the home that is named like a run's group, sorted. The
/// run can be alive or dead. The group can also belong to another program that uses such a name.
Result<std::vector<std::string>> runs_in(Driver& driver);

}  // namespace heddle::cgroup
