#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/cpu_line.h"
#include "common/fd.h"
#include "common/ids.h"
#include "common/result.h"
#include "common/scale.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"
#include "worker/part.h"
#include "worker/work_time.h"

namespace heddle::worker {

/// Returns the order for heddle-task to do a part in a container of `cores` on a node of the given
/// speed. CpuLines fills in start_ns. REQUIRES: at most kMaxThreads threads and kMaxPieces pieces.
PartOrder order_for(const ProcessPart& part, const Scale& scale, Millicores cores, double speed,
                    CpuLimit limit);
/// Returns the order to begin `work` with: its part if it begins at once, else no part yet.
/// CpuLines fills in start_ns and parent_pid. REQUIRES: at most kMaxThreads threads, kMaxPieces
/// pieces and kMaxMemoryPoints memory points.
TaskOrder order_for(const TaskWork& work, const Scale& scale, Millicores cores, double speed,
                    CpuLimit limit, Pacing pacing);

/// State that a task reports of itself.
struct TaskSaid {
  double progress = 0;             ///< 0..1
  real::Duration cpu{0};           ///< used so far
  real::Duration startup_cpu{0};   ///< the part of `cpu` used for start-up
  real::Duration release_cpu{0};   ///< used for giving memory back; no part of `cpu`
  real::Duration forfeited{0};     ///< wall time that the host withheld, beyond what can be made up
  std::optional<real::Time> done;  ///< when all its work was done
  /// Step and errno of a command that could not be executed; start_error is 0 otherwise.
  CommandStep failed_step = CommandStep::kFork;
  int start_error = 0;
  int end_signal = 0;      ///< signal that ended a command; 0: none
  ExceededLimit exceeded;  ///< limit that a command exceeded
};

/// Publishes the CPU lines of one node. A line says how much CPU a task may have used by now; it is
/// in a page that the worker and the task share. share_cpu divides the node's CPU among the threads
/// that want CPU. The line reflects contention and suspension. Every change that matters leads to a
/// new division, and tasks whose rate changes are woken. Not thread-safe; reads no clock.
class CpuLines {
 public:
  struct Node {
    Millicores cores;
    double speed = 1;
    CpuLimit limit = CpuLimit::kStrict;
    Scale scale;
  };

  /// kCapped: uses at most its allocated cores, also under `shares`.
  enum class Kind { kTask, kCapped, kCommand };

  static Result<std::unique_ptr<CpuLines>> create(const Node& node);
  ~CpuLines();

  /// Returns a descriptor to poll for reading (then call on_doorbell), and to give each task as
  /// kTaskDoorbellFd.
  int doorbell_fd() const { return doorbell_.get(); }

  /// Publishes a line that begins now; call before the task is started. Returns the page to give
  /// the task as kTaskPageFd: a close-on-exec descriptor that stays ours and is valid until remove.
  /// The task must be a child of this process. REQUIRES: the container isn't here.
  Result<int> add(ContainerId container, Millicores allocated, TaskOrder order, real::Time now,
                  Kind kind = Kind::kTask);
  /// Adds a command's claim. A command follows no line. It is assumed to want all its cores all the
  /// time, so that the tasks that follow their lines leave it room. The page shows how starting
  /// went.
  Result<int> add_command(ContainerId container, Millicores allocated, real::Time now);
  /// Restarts the line now. Call as soon as exec is known to have succeeded: the task must not make
  /// up for the time that joining the groups and exec take.
  void begin(ContainerId container, real::Time now);
  /// Gives the task its next part and restarts the line now. Does nothing if the container isn't
  /// here. REQUIRES: the task began without a part, or on_doorbell has returned the one before.
  void give(ContainerId container, const PartOrder& part, real::Time now);
  /// Removes the line. Does nothing if the container isn't here. REQUIRES: its process has been
  /// reaped, or was never started.
  void remove(ContainerId container, real::Time now);
  /// Sets the rate to 0 on suspension, and lets it rise on resumption after another `cost`. Call
  /// before the processes are stopped, and before they are continued. Does nothing if the container
  /// isn't here.
  void set_suspended(ContainerId container, bool suspended, real::Time now,
                     real::Duration cost = {});
  /// Returns when the rate of a continued container may rise, to call refill then;
  /// real::Time::max() if there is none.
  real::Time next_due() const;

  /// A part that is done and was not the task's last.
  struct DonePart {
    ContainerId container;
    int number = 0;
    friend bool operator==(const DonePart&, const DonePart&) = default;
  };
  /// Returns the containers that have said since the last call that they are about to give much
  /// memory back (BallastPage::releasing).
  std::vector<ContainerId> releasing();
  /// Applies a fault: cores are `factor` times as fast from now on.
  void set_speed(double factor, real::Time now) {
    slowed_ = factor;
    refill(now);
  }

  /// Drains the doorbell and divides the CPU again. Returns the parts that are newly done.
  std::vector<DonePart> on_doorbell(real::Time now);
  /// Rereads which threads want CPU, divides the CPU again and publishes the rates that changed.
  void refill(real::Time now);

  /// Returns whether the container had less than its full rate at some time since add.
  bool contended(ContainerId container) const;
  /// Returns the times of the container's present part. REQUIRES: the container is here.
  PartTimes part_times(ContainerId container) const;
  std::optional<TaskSaid> said(ContainerId container) const;
  /// Returns the page that the worker shares with the container's task. REQUIRES: the container is
  /// here. Valid until remove.
  TaskPage& page(ContainerId container) const;

 private:
  struct Page;
  struct Entry;

  CpuLines(const Node& node, Fd doorbell);
  Result<std::unique_ptr<Page>> blank_page();

  Node node_;
  double slowed_ = 1;
  std::int64_t refilled_ns_ = 0;  ///< time of the last division
  Fd doorbell_;
  std::map<ContainerId, Entry> entries_;
  std::vector<std::unique_ptr<Page>> pool_;
};

}  // namespace heddle::worker
