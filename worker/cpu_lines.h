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

namespace heddle::worker {

/// The order for heddle-task to do a part in a container of `cores` on a node of the given speed.
/// start_ns is CpuLines' to fill. REQUIRES: at most kMaxThreads threads and kMaxPieces pieces.
PartOrder order_for(const ProcessPart& part, const Scale& scale, Millicores cores, double speed,
                    CpuLimit limit);
/// The order to begin `work` with: its part if it begins at once, else none yet. start_ns and
/// parent_pid are CpuLines' to fill. REQUIRES: at most kMaxThreads threads, kMaxPieces pieces and
/// kMaxMemoryPoints memory points.
TaskOrder order_for(const TaskWork& work, const Scale& scale, Millicores cores, double speed,
                    CpuLimit limit, Pacing pacing);

/// What a task says of itself.
struct TaskSaid {
  double progress = 0;             ///< 0..1
  real::Duration cpu{0};           ///< used so far
  real::Duration startup_cpu{0};   ///< part of it
  real::Duration forfeited{0};     ///< wall time the host kept from it beyond what can be made up
  std::optional<real::Time> done;  ///< when all its work was
  /// Of a command that could not be executed: the step and the errno; else this is 0.
  CommandStep failed_step = CommandStep::kFork;
  int start_error = 0;
  int end_signal = 0;                        ///< that ended a command; 0: none did
  CommandLimit limit = CommandLimit::kNone;  ///< that a command exceeded
};

/// The CPU lines of one node: how much CPU each task may have used by now, published in a page that
/// the worker and the task share, divided by share_cpu among the threads that want CPU. Contention
/// and suspension are in the line. Every change that matters ends in a new division, and tasks
/// whose rate it changes are woken. Not thread-safe; uses no clock.
class CpuLines {
 public:
  struct Node {
    Millicores cores;
    double speed = 1;
    CpuLimit limit = CpuLimit::kStrict;
    Scale scale;
  };

  /// kCapped: at most its allocated cores also under `shares`.
  enum class Kind { kTask, kCapped, kCommand };

  static Result<std::unique_ptr<CpuLines>> create(const Node& node);
  ~CpuLines();

  /// Descriptor to poll for reading (call on_doorbell) and to give each task as kTaskDoorbellFd.
  int doorbell_fd() const { return doorbell_.get(); }

  /// Publishes a line that begins now, before the task is started, and returns the page for it as
  /// kTaskPageFd: a close-on-exec descriptor that stays ours, valid until remove. The task must be
  /// a child of this process. REQUIRES: the container isn't here.
  Result<int> add(ContainerId container, Millicores allocated, TaskOrder order, real::Time now,
                  Kind kind = Kind::kTask);
  /// A command's claim: it follows no line, but is taken to want all its cores all the time, so
  /// that those that follow theirs leave it room. The page tells how starting went.
  Result<int> add_command(ContainerId container, Millicores allocated, real::Time now);
  /// The line begins anew, now: call as soon as exec is known to have succeeded. What joining the
  /// groups and exec take is ours and not the task's to make up.
  void begin(ContainerId container, real::Time now);
  /// The task's next part, for which the line begins anew, now. Not here: does nothing. REQUIRES:
  /// it began without a part, or on_doorbell has told the end of the one before.
  void give(ContainerId container, const PartOrder& part, real::Time now);
  /// REQUIRES: its process has been reaped, or never started. Not here: does nothing.
  void remove(ContainerId container, real::Time now);
  /// Call before the processes are stopped, and before they are continued. The rate of one that is
  /// continued stays 0 for another `cost`. Not here: does nothing.
  void set_suspended(ContainerId container, bool suspended, real::Time now,
                     real::Duration cost = {});
  /// When the rate of a continued container may rise, so that refill is to be called;
  /// real::Time::max() if there is none.
  real::Time next_due() const;

  /// A part that was done, and not the task's last.
  struct DonePart {
    ContainerId container;
    int number = 0;
    friend bool operator==(const DonePart&, const DonePart&) = default;
  };
  /// A fault: cores are so many times as fast from now on.
  void set_speed(double factor, real::Time now) {
    slowed_ = factor;
    refill(now);
  }

  /// Drains the doorbell and divides anew. Returns what is newly done.
  std::vector<DonePart> on_doorbell(real::Time now);
  /// Rereads who wants CPU, divides anew, publishes the rates that changed.
  void refill(real::Time now);

  /// True if the container had less than its full rate at some time since add.
  bool contended(ContainerId container) const;
  std::optional<TaskSaid> said(ContainerId container) const;

 private:
  struct Page;
  struct Entry;

  CpuLines(const Node& node, Fd doorbell);
  Result<std::unique_ptr<Page>> blank_page();

  Node node_;
  double slowed_ = 1;
  std::int64_t refilled_ns_ = 0;  ///< last
  Fd doorbell_;
  std::map<ContainerId, Entry> entries_;
  std::vector<std::unique_ptr<Page>> pool_;
};

}  // namespace heddle::worker
