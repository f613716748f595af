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

/// Kills and removes everything in and below a group, children first, within `limit` of wall time.
/// May be repeated, and works on a partly removed group. REQUIRES: the group is ours (ownership.h).
Result<void> remove_tree(Driver& driver, const std::string& group, std::chrono::milliseconds limit);
/// Does the same for several groups, all of which are killed at once.
Result<void> remove_trees(Driver& driver, std::vector<std::string> groups,
                          std::chrono::milliseconds limit);

/// Caps of the node's own group.
struct NodeCaps {
  CpuCap cpu;
  MemoryCap memory;
};

struct ContainerCaps {
  CpuCap cpu;
  MemoryCap memory;
};

/// Usage of a container since its slot was acquired: CPU is the difference from a baseline.
struct ContainerStats {
  real::Duration cpu{0};
  real::Bytes memory;
  real::Bytes peak;
};

/// Manages one worker's part of the tree run / node / container: the order of creation and of
/// changes to caps, a pool of container groups, the attribution of OOM kills, and teardown. The
/// order of changes matters because v1 refuses a child's cap above its parent's even for a moment.
/// A slot is the number of a container's group: small, and reused.
///
/// A stop or kill first lifts the caps of the node and of the container, because a throttled
/// process can't take a signal, and restores them afterwards. Lifts of several containers nest: the
/// node's cap returns with the last.
class NodeTree {
 public:
  /// Makes the groups of the run and of the node, sets the node's caps and reads them back. First
  /// kills and removes what a dead worker of the same node left. The node's group is marked as
  /// ours, and held until the tree is destroyed (ownership.h). Errors: an existing group is not
  /// provably ours, or another process holds it; a cap reads back as another value than was set,
  /// beyond rounding to the kernel's unit (the error names both).
  static Result<std::unique_ptr<NodeTree>> create(Driver& driver, const std::string& run,
                                                  const std::string& node, const NodeCaps& caps);
  ~NodeTree();  ///< does not tear down

  /// Takes an empty and clean group from the pool, or makes one. Sets these caps and reads them
  /// back.
  Result<int> acquire(const ContainerCaps& caps);
  /// Returns the slot to the pool. REQUIRES: its processes have been reaped. If the group still has
  /// a process (a grandchild), kills it. A group that can't be emptied is set aside, and removed at
  /// teardown.
  Result<void> release(int slot);

  /// Limits the processes and threads that are in the slot at once, until it is released.
  Result<void> limit_processes(int slot, std::int64_t most);

  const std::string& group(int slot) const;
  const std::string& node_group() const;

  Result<std::vector<Fd>> open_attach(int slot);
  Result<Fd> open_directory(int slot);
  Result<Fd> open_memory_use(int slot);

  /// Lifts the CPU caps of container and node until restore, release or teardown. If they are
  /// lifted for the slot already, only calls `first`. Always calls `first` before it lifts the
  /// node's cap: from then on all containers that had used up the node's quota run again, and the
  /// caller may have to wait for a CPU.
  Result<void> lift(int slot, const std::function<Result<void>()>& first = {});
  Result<void> restore(int slot);
  bool lifted(int slot) const;
  /// Lifts both caps and sends SIGKILL to all processes of the slot. Restore the caps by release or
  /// restore.
  Result<void> kill(int slot);
  /// See Driver::freeze and Driver::frozen. release() thaws.
  Result<void> freeze(int slot, bool frozen);
  Result<bool> frozen(int slot) const;

  /// Returns the usage of a container. If the OOM killer took some processes of a container, stats
  /// and oom_cause kill the others (on v2 the kernel has done so).
  Result<ContainerStats> stats(int slot);
  Result<ContainerStats> node_stats();

  /// Returns a descriptor to poll for memory events of the node. If it is readable, call drain_oom.
  int oom_fd() const;
  void drain_oom();
  /// Returns whose limit killed processes of this slot since it was acquired, or kNone if none was
  /// killed. Must be called before release. The victim is the container whose oom_kill rose. The
  /// cause is its own limit if that was hit for good, else the node's if that was, else other (a
  /// group above, the host). See attribute() in oom.h.
  Result<OomCause> oom_cause(int slot);

  /// Kills all, and removes the node's group. Removes the run's group if it is empty then.
  Result<void> teardown(std::chrono::milliseconds limit);

 private:
  struct State;
  explicit NodeTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns the <run id> of every group below the home that is named like a run's group, sorted. The
/// run may be alive or dead, or the group may be of anybody who uses such a name.
Result<std::vector<std::string>> runs_in(Driver& driver);

}  // namespace heddle::cgroup
