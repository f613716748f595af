#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cgroup/tree.h"
#include "wire/messages.h"
#include "worker/cpu_lines.h"
#include "worker/launcher.h"
#include "worker/monitor.h"

namespace heddle::worker {

/// Holds the containers of one node to what they may use: their groups and caps (cgroup::NodeTree)
/// and their CPU lines (CpuLines). Stops, continues, kills and measures them. Carries out, decides
/// nothing; every call names a container that was prepared and not released.
class Enforcer {
 public:
  /// How long a container may take to stop before the suspension is given up.
  static constexpr real::Duration kStopLimit = std::chrono::seconds(1);

  static Result<std::unique_ptr<Enforcer>> create(cgroup::Driver& driver, const std::string& run,
                                                  const wire::Welcome& welcome);

  int oom_fd() const { return tree_->oom_fd(); }
  void drain_oom() { tree_->drain_oom(); }
  /// Memory has run out somewhere: see relax.
  void on_oom(real::Time now) {
    drain_oom();
    relax(now);
  }
  /// The same if the node is about to run out of memory: call before a start, which waits for the
  /// new process.
  void relax_if_full(real::Time now);
  int doorbell_fd() const { return lines_->doorbell_fd(); }
  /// A fault (CpuLines::set_speed).
  void set_speed(double factor, real::Time now) { lines_->set_speed(factor, now); }
  /// Returns the parts that are newly done, but for last ones.
  std::vector<CpuLines::DonePart> on_doorbell(real::Time now) { return lines_->on_doorbell(now); }

  /// Group and caps, and how to start a process in them; program and page are for the caller to
  /// fill. The plan of a command is its supervisor's, which is in no group but enters the program
  /// into these directories. What is held after a failure goes with release.
  Result<LaunchPlan> prepare(const wire::LaunchCommand& launch);
  /// The same of a program outside of the containers, which has an id like one.
  Result<LaunchPlan> prepare_load(ContainerId id, const Resources& load);
  /// Directories of a container's group.
  std::vector<std::string> directories(ContainerId container) const;
  /// The line begins now: call right before the start. Returns the page to start the task with.
  /// REQUIRES: prepared.
  Result<int> publish(const wire::LaunchCommand& launch, real::Time now);
  Result<int> publish_load(ContainerId id, const Resources& load, const TaskWork& work,
                           real::Time now);
  /// The process runs: its line begins anew (CpuLines::begin).
  void begin(ContainerId container, real::Time now) { lines_->begin(container, now); }
  /// The next part of the container, in which `cores` are allocated (CpuLines::give).
  void give(ContainerId container, const ProcessPart& part, Millicores cores, real::Time now);
  /// Gives everything back. Unknown: does nothing. REQUIRES: the process is reaped or never was.
  Result<void> release(ContainerId container, real::Time now);

  /// Line to 0, SIGSTOP (or freezer), both caps lifted; poll_stops tells when it is confirmed: when
  /// all threads of all its processes were seen stopped.
  Result<void> begin_stop(ContainerId container, real::Time now);
  struct StopOutcome {
    ContainerId container;
    bool stopped = false;
    std::string reason;  ///< if not stopped; the container goes on then
    real::Time at;       ///< when that was seen
  };
  /// Looks after the stops under way; caps are restored where one has ended.
  std::vector<StopOutcome> poll_stops(real::Time now);
  /// Puts back what relax lifted, once it has been long enough.
  void tighten(real::Time now);
  /// A stop has just begun: nothing that takes its time is to come between.
  bool stops_first(real::Time now) const;
  /// Lets the lines of resumed containers rise that have paid for their suspension.
  void end_costs(real::Time now) {
    if (lines_->next_due() <= now) lines_->refill(now);
  }
  /// When poll_stops, tighten or end_costs is to be called next; real::Time::max() if never.
  real::Time next_check() const;
  /// Its line stays at 0 for as long as suspending costs (Welcome::suspend_cost).
  Result<void> resume(ContainerId container, real::Time now);
  /// Lifts both caps and sends SIGKILL; the caps come back with release.
  Result<void> kill(ContainerId container);

  /// Whose limit killed processes of the container. REQUIRES: asked after the end, before release.
  Result<OomCause> oom_cause(ContainerId container) {
    return tree_->oom_cause(slots_.at(container));
  }
  Result<Sample> sample(ContainerId container);
  /// How much the kernel is to prefer the container's processes when it has to kill one of the
  /// node (oom_score_adj, man 5 proc): -1000, never, to 1000.
  Result<void> set_oom_score(ContainerId container, int adjustment);
  Result<cgroup::ContainerStats> node_stats() { return tree_->node_stats(); }
  bool contended(ContainerId container) const { return lines_->contended(container); }
  /// What its process says of itself. REQUIRES: asked before release.
  TaskSaid said(ContainerId container) const {
    return lines_->said(container).value_or(TaskSaid());
  }
  /// Why a command was not executed; nullopt if it was. kUsage: there is no such program, or it may
  /// not be executed; any other kind: this machine's fault. REQUIRES: asked after the end, before
  /// release.
  std::optional<Error> start_failure(ContainerId container) const;

  /// Removes all groups of the node, killing what is left in them.
  Result<void> teardown(std::chrono::milliseconds limit) { return tree_->teardown(limit); }

 private:
  struct StopWait {
    real::Time since;
    real::Time next;
  };

  Enforcer(cgroup::Driver& driver, const wire::Welcome& welcome)
      : driver_(driver), welcome_(welcome) {}
  /// `attached`: the plan's process itself is to be in the group.
  Result<LaunchPlan> prepare(ContainerId id, const cgroup::ContainerCaps& caps, bool attached);
  TaskOrder begin_order(const TaskWork& work, Millicores cores) const;
  /// Lifts the caps of the node and all containers for a moment. What is killed for lack of memory
  /// has to get CPU to be gone, and all others burn theirs in looking for memory meanwhile
  /// (mm/vmscan.c, do_try_to_free_pages): under small quotas that took seconds, in which the new
  /// process that this worker waits for got no memory either. Tasks that follow their line use no
  /// more than before.
  void relax(real::Time now);
  Result<bool> try_stop(int slot);
  Result<void> signal(int slot, int number);
  void give_up_stop(ContainerId container, real::Time now);

  cgroup::Driver& driver_;
  wire::Welcome welcome_;
  std::unique_ptr<cgroup::NodeTree> tree_;
  std::unique_ptr<CpuLines> lines_;
  std::map<ContainerId, int> slots_;
  std::map<ContainerId, StopWait> stops_;
  std::set<ContainerId> relaxed_;  ///< to be put back at …
  real::Time tighten_at_ = real::Time::max();
};

}  // namespace heddle::worker
