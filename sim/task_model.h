#pragma once

#include <cstddef>
#include <vector>

#include "core/model/event.h"
#include "core/model/work.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// Models the work of one attempt in virtual time, as heddle-task does it in a real run. The task
/// waits for its inputs, sleeps, and then uses CPU equally in all threads, with pauses. The node
/// sets the rate of the CPU. Memory follows the profile, depending on progress. The task ends after
/// its output is written. An executor repeats this for each part, until finish() is called. Between
/// two calls, all values change in straight lines (sim/virtual_time.h).
///
/// REQUIRES: calls are in the order of time. advance() is called at each due().
class TaskModel {
 public:
  /// `limit` is the memory limit of the container. `ideal` is the ideal_time() of the work on this
  /// node.
  TaskModel(const TaskWork& work, EmuTime ideal, EmuBytes limit, EmuTime now);

  /// Handles the changes that are due at `now`. They are the end of a sleep or of the work, a
  /// corner of the memory profile, or a crash.
  void advance(EmuTime now);
  /// Sets the emulated core-seconds per second that each thread gets from now on.
  void set_rate(double rate, EmuTime now);
  /// Stops the task. It makes no progress, and its memory stays the same. A sleep continues,
  /// because it is wall time. If the sleep ends while the task is stopped, the work begins only
  /// after resume().
  void suspend(EmuTime now);
  void resume(EmuTime now);
  /// Notes that the inputs are complete. The work, or an executor's next part, begins once the task
  /// is not stopped. Does nothing if the task does not wait.
  void inputs_ready(EmuTime now);
  /// Sets the next part of an executor. The part begins at inputs_ready(). REQUIRES: the executor
  /// has no part.
  void run(const TaskPart& part, EmuTime now);
  /// Ends an executor. REQUIRES: the executor has no part.
  void finish(EmuTime now);
  /// Notes that the output is written. REQUIRES: writing().
  void written(EmuTime now);

  /// Returns the number of threads that want CPU, or that would want CPU if the task were not
  /// suspended.
  int runnable() const;
  bool suspended() const { return suspended_; }
  /// Returns whether the task has reached the progress at which it crashes (TaskWork::crash_at).
  bool crashed() const { return crashed_; }
  bool executor() const { return executor_; }
  /// Returns whether the work, or an executor's part, is done but its output is not yet written.
  bool writing() const { return stage_ == Stage::kWriting; }
  /// Returns whether the task can end: all its work is done, and the task is not stopped.
  bool finished() const { return stage_ == Stage::kDone && !suspended_; }
  /// Returns the time at which to call advance() next.
  EmuTime due() const { return due_; }

  double progress(EmuTime now) const;
  CoreTime cpu(EmuTime now) const;
  /// Returns the bytes in use. Between two corners, this can be a fraction.
  double memory(EmuTime now) const;
  struct Use {
    CoreTime cpu;
    double memory, progress;
  };
  Use use(EmuTime now) const;
  /// Returns by how many bytes per microsecond memory grows until due(). Negative if memory
  /// shrinks.
  double slope() const { return slope_; }
  /// Returns whether the task wants more memory than before. This is so if it has just started, if
  /// its memory jumped when it was resumed, or if its memory grows.
  bool demanding() const { return jumped_ || slope_ > 0; }
  /// Returns the highest point of the memory profile. The memory in use never exceeds it.
  EmuBytes peak() const { return profile_peak_; }
  bool over_limit(EmuTime now) const {
    return profile_peak_ > limit_ && memory(now) > static_cast<double>(limit_.count());
  }

  /// Computes slope() and due() from the present state. REQUIRES: is called after each change.
  void plan(EmuTime now);
  /// Returns the usage until `now`. The peak of memory is at most the limit, because the kernel
  /// kills the task there. The caller fills in contention and data.
  AttemptUsage usage(EmuTime now);

 private:
  enum class Stage { kWaiting, kSleeping, kWorking, kWriting, kDone };

  /// Begins a new straight line at `now`.
  void rebase(EmuTime now);
  /// Sets progress to the next corner, if only a rounding error is left until this corner.
  void snap_to_corner();
  /// Lets memory follow after progress jumped forward, and passes the corners before the new
  /// progress.
  void jump(EmuTime now);
  void begin_leg(int leg, EmuTime now);
  void begin_wait(EmuTime span, double to, EmuTime now);
  void begin_cpu(double until, double to);
  /// Begins the CPU work of a piece, or the pause after it. Returns false if this takes no time.
  bool begin_piece(std::size_t piece, bool burns, EmuTime now);
  /// Begins the sleep, or a leg of work with evenly spread pauses. Returns false if the leg takes
  /// no time.
  bool begin_even_leg(int leg, EmuTime now);
  double share(EmuTime span) const;
  double growth_of_progress() const;
  double memory_at(double progress) const;
  /// Returns the microseconds until the crash at the present rate. Returns infinity if there is no
  /// crash.
  double time_to_crash(EmuTime now) const;
  void crash_if_due(EmuTime now);
  /// Returns the microseconds until the next corner at the present rate. Returns infinity if there
  /// is no corner.
  double time_to_corner() const;
  void pass_corners();

  /// Sets segment_ after corner_ has changed.
  void enter_segment();

  // The members are ordered by how often they are used: a node looks at the first ones of all its
  // tasks at each event.
  EmuTime due_ = kNever;
  double slope_ = 0;
  EmuBytes profile_peak_;
  EmuBytes limit_;
  int threads_ = 1;
  Stage stage_ = Stage::kWaiting;
  bool suspended_ = false;
  bool crashed_ = false;
  bool jumped_ = true;
  bool writes_ = false;
  bool executor_ = false;
  bool inputs_ready_ = false;  ///< inputs became complete while the task was stopped
  // The straight line, which starts at since_.
  EmuTime since_;
  double progress_ = 0;
  double done_ = 0;  ///< CPU of each thread, core-microseconds
  double rate_ = 0;
  double from_ = 0, to_ = 0;          ///< progress at start and end of this leg; `to_` between legs
  double cpu_from_ = 0, cpu_to_ = 0;  ///< kWorking: CPU per thread, core-microseconds
  EmuTime wait_, wait_end_;           ///< kSleeping: length and end of this leg
  /// The part of the memory profile between the last corner that was passed and the next corner.
  /// Before the first corner and after the last corner, `change` is 0.
  struct Segment {
    double use = 0;     ///< bytes at its start
    double change = 0;  ///< bytes that are added until its end
    double from = 0;    ///< progress at its start
    double length = 1;  ///< in progress
  } segment_;
  // The past, until since_.
  CoreTime past_cpu_;  ///< CPU of parts that are done
  double peak_ = 0;
  double byte_us_ = 0;

  // The work consists of legs. Leg 0 is the sleep. Legs 1, 3, … are pieces of the CPU work. Legs 2,
  // 4, … are the pauses between them. The last of `pieces_` can also have a pause after it.
  int leg_ = 0;
  double goal_ = 1;         ///< progress at the end of the last leg
  double crash_at_;         ///< above 1: never
  std::size_t corner_ = 0;  ///< the first corner not yet passed
  std::vector<MemoryPoint> memory_;
  EmuTime ideal_;
  EmuTime sleep_, pause_;
  int pauses_ = 0;
  double cpu_per_thread_ = 0;  ///< total of all pieces, core-microseconds
  std::vector<WorkPiece> pieces_;
  std::vector<PieceEnd> piece_ends_;
};

}  // namespace heddle::sim
