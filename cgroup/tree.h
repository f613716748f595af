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

/// Group of a run below the home: "heddle-<run id>".
std::string run_group(const std::string& run);

/// Kills and removes everything in and below a group, children first, within `limit` of wall time.
/// Safe to call again and on what is half there. REQUIRES: the group is ours (ownership.h).
Result<void> remove_tree(Driver& driver, const std::string& group, std::chrono::milliseconds limit);
/// The same for several groups at a time, which all die at once.
Result<void> remove_trees(Driver& driver, std::vector<std::string> groups,
                          std::chrono::milliseconds limit);

/// Caps of the node's own group, and how containers' caps are rounded against it.
struct NodeCaps {
  CpuCap cpu;
  MemoryCap memory;
};

struct ContainerCaps {
  CpuCap cpu;
  MemoryCap memory;
};

/// What a container used since it was handed out (counters are differences from a baseline).
struct ContainerStats {
  real::Duration cpu{0};
  real::Bytes memory;
  real::Bytes peak;
};

/// One worker's part of the tree, run / node / container: order of creation and of changing caps
/// (v1 refuses a child's cap above its parent's, also for a moment), a pool of container groups,
/// attribution of OOM kills, teardown. Slots are small numbers, reused.
///
/// The node's caps and a container's are lifted together before a stop or kill (a throttled process
/// can't take a signal) and restored after; lifts nest over containers of the node.
class NodeTree {
 public:
  /// Makes run and node group (kills and removes what a dead worker of the same node left first),
  /// sets and reads back the caps. The node's group is held and marked as ours until the tree goes
  /// (ownership.h). Errors: a group is there that is not provably ours, or that another process
  /// holds; a cap that reads back otherwise than set (beyond rounding by the kernel's unit), with
  /// both.
  static Result<std::unique_ptr<NodeTree>> create(Driver& driver, const std::string& run,
                                                  const std::string& node, const NodeCaps& caps);
  ~NodeTree();  ///< does not tear down

  /// A group that is empty and clean, with these caps set and read back: from the pool, or made.
  Result<int> acquire(const ContainerCaps& caps);
  /// Gives the slot back. REQUIRES: its processes have been reaped. A group that is not empty after
  /// all (a grandchild) is killed first; one that can't be emptied is set aside and removed at
  /// teardown.
  Result<void> release(int slot);

  /// Most processes and threads in the slot at once, until it is released.
  Result<void> limit_processes(int slot, std::int64_t most);

  const std::string& group(int slot) const;
  const std::string& node_group() const;

  Result<std::vector<Fd>> open_attach(int slot);
  Result<Fd> open_directory(int slot);
  Result<Fd> open_memory_use(int slot);

  /// No CPU cap on container and node until restore, release or teardown; lifted already: nothing.
  /// `first`, which is done in any case, comes before the node's is lifted: then all its containers
  /// run that were out of its quota, and the caller may be the one that waits.
  Result<void> lift(int slot, const std::function<Result<void>()>& first = {});
  Result<void> restore(int slot);
  bool lifted(int slot) const;
  /// Lift both, SIGKILL all in the slot. Restore by release (or restore).
  Result<void> kill(int slot);
  /// See Driver::freeze, Driver::frozen; release thaws.
  Result<void> freeze(int slot, bool frozen);
  Result<bool> frozen(int slot) const;

  /// Where the OOM killer took some processes of a container, stats and oom_cause end the others
  /// (v2: the kernel has done so).
  Result<ContainerStats> stats(int slot);
  Result<ContainerStats> node_stats();

  /// Descriptor to poll for memory events of the node (readable: call drain_oom).
  int oom_fd() const;
  void drain_oom();
  /// Whose limit killed processes of this slot since it was acquired; kNone if none was killed.
  /// Must be asked before release. Rule: the victim is the container whose oom_kill rose; the cause
  /// is its own limit if that was hit for good, else the node's if that was, else other (a group
  /// above, the host). See attribute() in oom.h.
  Result<OomCause> oom_cause(int slot);

  /// Kills all and removes node group, and the run group if it is then empty.
  Result<void> teardown(std::chrono::milliseconds limit);

 private:
  struct State;
  explicit NodeTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The <run id> of all groups below the home that are named as those of runs, sorted: of live runs,
/// of dead ones, of anybody who uses such a name.
Result<std::vector<std::string>> runs_in(Driver& driver);

}  // namespace heddle::cgroup
