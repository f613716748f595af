#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cgroup/tree.h"
#include "host/huge_pages.h"
#include "wire/messages.h"
#include "worker/cache_dropper.h"
#include "worker/cpu_lines.h"
#include "worker/launcher.h"
#include "worker/memory_filler.h"
#include "worker/monitor.h"

namespace heddle::worker {

/// Keeps the containers of one node within what they may use, by their groups and caps
/// (cgroup::NodeTree) and their CPU lines (CpuLines). Stops, continues, kills and measures them.
/// Carries out and decides nothing. Every call names a container that was prepared and not
/// released.
class Enforcer {
 public:
  /// How long a container may take to stop before the suspension is given up.
  static constexpr real::Duration kStopLimit = std::chrono::seconds(1);

  static Result<std::unique_ptr<Enforcer>> create(cgroup::Driver& driver, const std::string& run,
                                                  const wire::Welcome& welcome);

  int oom_fd() const { return tree_->oom_fd(); }
  void drain_oom() { tree_->drain_oom(); }
  /// Handles a memory event: memory has run out somewhere. See relax.
  void on_oom(real::Time now) {
    drain_oom();
    relax(now);
  }
  /// Calls relax if the node is nearly out of memory. Call before a start, which waits for the
  /// new process.
  void relax_if_full(real::Time now);
  int doorbell_fd() const { return lines_->doorbell_fd(); }
  /// Applies a fault (CpuLines::set_speed).
  void set_speed(double factor, real::Time now) { lines_->set_speed(factor, now); }
  /// Returns the parts that are newly done, except last ones.
  std::vector<CpuLines::DonePart> on_doorbell(real::Time now);

  /// Makes group and caps. Returns a plan to start a process in them; the caller fills in program
  /// and page. A command's plan is for its supervisor, which is in none of these groups but puts
  /// the program into their directories. After a failure, release() frees what is held.
  Result<LaunchPlan> prepare(const wire::LaunchCommand& launch);
  /// Does the same for a program outside of the containers, which has an id like a container's.
  Result<LaunchPlan> prepare_load(ContainerId id, const Resources& load);
  /// Returns the directories of a container's group.
  std::vector<std::string> directories(ContainerId container) const;
  /// Begins the line now; call right before the start. Returns the page to start the task with.
  /// REQUIRES: prepared.
  Result<int> publish(const wire::LaunchCommand& launch, real::Time now);
  Result<int> publish_load(ContainerId id, const Resources& load, const TaskWork& work,
                           real::Time now);
  /// Restarts the line when the process runs (CpuLines::begin), and begins to fill its memory. The
  /// process must not be reaped before stop_filling.
  void begin(ContainerId container, pid_t process, real::Time now);
  /// Stops to fill the container's memory. Returns what filling took.
  FillReport stop_filling(ContainerId container) { return filler_->remove(container); }
  /// Gives the container, to which `cores` are allocated, its next part (CpuLines::give).
  void give(ContainerId container, const ProcessPart& part, Millicores cores, real::Time now);
  /// Gives everything back, and begins to drop the page cache that a command has left. Does nothing
  /// for an unknown container. REQUIRES: the process has been reaped, or was never started.
  Result<void> release(ContainerId container, real::Time now);

  /// Begins a stop: sets the line to 0, sends SIGSTOP (or freezes), and lifts both caps. poll_stops
  /// returns it once it is confirmed: all threads of all its processes were seen stopped.
  Result<void> begin_stop(ContainerId container, real::Time now);
  struct StopOutcome {
    ContainerId container;
    bool stopped = false;
    std::string reason;  ///< why not stopped (it then runs on), or why the caps are not restored
    real::Time at;       ///< when the outcome was seen
  };
  /// Checks the stops under way and returns those that have ended, with their caps restored.
  std::vector<StopOutcome> poll_stops(real::Time now);
  /// Restores the caps that relax lifted, once they have been lifted long enough.
  void tighten(real::Time now);
  /// Returns whether a stop has just begun, so that no slow operation should come between.
  bool stops_first(real::Time now) const;
  /// Lets the lines of resumed containers rise when the cost of their suspension is over.
  void end_costs(real::Time now) {
    if (lines_->next_due() <= now) lines_->refill(now);
  }
  /// Returns when to call poll_stops, tighten or end_costs next; real::Time::max() if never.
  real::Time next_check() const;
  /// Lets a stopped container run again. Its line stays at 0 for as long as a suspension costs
  /// (Welcome::suspend_cost).
  Result<void> resume(ContainerId container, real::Time now);
  /// Lifts the caps of the node and of the container, and sends SIGKILL. release() restores the
  /// caps.
  Result<void> kill(ContainerId container);

  /// Returns whose limit killed processes of the container. REQUIRES: called after the end, before
  /// release.
  Result<OomCause> oom_cause(ContainerId container) {
    return tree_->oom_cause(slots_.at(container));
  }
  Result<Sample> sample(ContainerId container);
  /// See NodeTree::memory_above.
  Result<std::optional<cgroup::MemoryUse>> memory_above(ContainerId container, real::Bytes known) {
    return tree_->memory_above(slots_.at(container), known);
  }
  real::Bytes memory_limit(ContainerId container) const {
    return tree_->memory_limit(slots_.at(container));
  }
  /// Sets how much the kernel prefers the container's processes if it has to kill one of the node
  /// (oom_score_adj, man 5 proc): from -1000, never, to 1000.
  Result<void> set_oom_score(ContainerId container, int adjustment);
  Result<cgroup::ContainerStats> node_stats() { return tree_->node_stats(); }
  bool contended(ContainerId container) const { return lines_->contended(container); }
  /// Returns the times of the part that the container's process does or has done last.
  PartTimes part_times(ContainerId container) const { return lines_->part_times(container); }
  /// Returns what the container's process reports of itself. REQUIRES: called before release.
  TaskSaid said(ContainerId container) const {
    return lines_->said(container).value_or(TaskSaid());
  }
  /// Returns why a command was not executed; nullopt if it was. kUsage: the program does not exist
  /// or may not be executed; any other kind: this machine's fault. REQUIRES: called after the end,
  /// before release.
  std::optional<Error> start_failure(ContainerId container) const;

  /// Removes all groups of the node and kills what is left in them.
  Result<void> teardown(std::chrono::milliseconds limit) {
    dropper_.reset();
    return tree_->teardown(limit);
  }

 private:
  struct StopWait {
    real::Time since;
    real::Time next;
  };

  Enforcer(cgroup::Driver& driver, const wire::Welcome& welcome)
      : driver_(driver), welcome_(welcome), huge_pages_(!welcome.swap && host::huge_pages_pay()) {}
  /// `attached`: the plan's process itself joins the group.
  Result<LaunchPlan> prepare(ContainerId id, const cgroup::ContainerCaps& caps, bool attached);
  TaskOrder begin_order(const TaskWork& work, Millicores cores) const;
  /// Lifts the caps of the node and all containers for a short time. A process that is killed for
  /// lack of memory needs CPU to exit, while all others burn theirs in looking for memory
  /// (mm/vmscan.c, do_try_to_free_pages). Under small quotas that takes seconds, in which the new
  /// process that this worker waits for gets no memory either. Tasks that follow their line use no
  /// more CPU than before.
  void relax(real::Time now);
  /// Lifts the caps of the node and of one container for a short time.
  void relax_one(ContainerId container, real::Time now);
  Result<void> drop_cache(int slot);
  Result<bool> try_stop(int slot);
  Result<void> signal(int slot, int number);
  void give_up_stop(ContainerId container, real::Time now);

  cgroup::Driver& driver_;
  wire::Welcome welcome_;
  bool huge_pages_;  ///< tasks fill large steps of memory with huge pages
  std::unique_ptr<cgroup::NodeTree> tree_;
  std::unique_ptr<CpuLines> lines_;
  std::unique_ptr<MemoryFiller> filler_;
  std::unique_ptr<CacheDropper> dropper_;  ///< null until a container has left page cache
  std::map<ContainerId, int> slots_;
  std::set<ContainerId> commands_;
  std::map<ContainerId, StopWait> stops_;
  std::set<ContainerId> relaxed_;  ///< containers whose caps are restored at tighten_at_
  real::Time tighten_at_ = real::Time::max();
};

}  // namespace heddle::worker
