#pragma once

#include <cstddef>
#include <vector>

#include "core/model/event.h"
#include "core/model/work.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// Models the work of one attempt in virtual time, as heddle-task does it for real: waits for
/// inputs if there are any, sleeps, then burns CPU in all threads alike at a rate set from outside,
/// with pauses in between. Memory follows the profile by progress. The task ends once its output is
/// written. An executor does all this part by part, until it is told to finish. Between two calls
/// everything moves in straight lines (sim/virtual_time.h).
///
/// Calls come in the order of time. Call advance() exactly when a change is due.
class TaskModel {
 public:
  /// `limit`: of the container's memory. `ideal`: ideal_time() of the work on this node.
  TaskModel(const TaskWork& work, EmuTime ideal, EmuBytes limit, EmuTime now);

  /// Handles what is due at `now`: the end of a sleep or of the work, a corner of the memory
  /// profile, a crash.
  void advance(EmuTime now);
  /// Sets the emulated core-seconds a second that each thread gets from now on.
  void set_rate(double rate, EmuTime now);
  /// Stops the task: no progress, and memory stays. A sleep continues, because it is wall time, but
  /// what follows it shows only once the task is resumed.
  void suspend(EmuTime now);
  void resume(EmuTime now);
  /// Notes that the inputs are there: the work, or an executor's next part, begins once the task is
  /// not stopped. Does nothing if the task does not wait.
  void inputs_ready(EmuTime now);
  /// Sets what an executor does next, once its inputs are there. REQUIRES: the executor has no
  /// part.
  void run(const TaskPart& part, EmuTime now);
  /// Ends an executor. REQUIRES: it has no part.
  void finish(EmuTime now);
  /// Notes that the output is written. REQUIRES: writing().
  void written(EmuTime now);

  /// Returns the threads that want CPU, or would want it if the task were not suspended.
  int runnable() const;
  bool suspended() const { return suspended_; }
  /// Returns whether the task has reached the progress at which it crashes (TaskWork::crash_at).
  bool crashed() const { return crashed_; }
  bool executor() const { return executor_; }
  /// Returns whether the work, or an executor's part, is done but its output is not yet written.
  bool writing() const { return stage_ == Stage::kWriting; }
  /// Returns whether all is done and the task is not stopped, so that it can end.
  bool finished() const { return stage_ == Stage::kDone && !suspended_; }
  /// Returns when to call advance() next.
  EmuTime due() const { return due_; }

  double progress(EmuTime now) const;
  CoreTime cpu(EmuTime now) const;
  /// Returns the bytes in use, which between two corners need not be whole.
  double memory(EmuTime now) const;
  struct Use {
    CoreTime cpu;
    double memory, progress;
  };
  Use use(EmuTime now) const;
  /// Returns the bytes a microsecond by which memory grows (or shrinks) until due().
  double slope() const { return slope_; }
  /// Returns whether the task wants more memory than before: it has just come, jumped on being
  /// resumed, or rises.
  bool demanding() const { return jumped_ || slope_ > 0; }
  bool over_limit(EmuTime now) const { return memory(now) > static_cast<double>(limit_.count()); }

  /// Computes slope() and due() from the present state. Call it after any change.
  void plan(EmuTime now);
  /// Returns the usage up to now. Memory is never above the limit, because the kernel kills there.
  /// The caller fills in contention and data.
  AttemptUsage usage(EmuTime now);

 private:
  enum class Stage { kWaiting, kSleeping, kWorking, kWriting, kDone };

  /// Begins a new straight line at `now`.
  void rebase(EmuTime now);
  /// Moves progress onto a corner that only rounding has kept out of reach.
  void snap_to_corner();
  /// Lets memory follow a step forward that took no time, past the corners in between.
  void jump(EmuTime now);
  void begin_leg(int leg, EmuTime now);
  void begin_wait(EmuTime span, double to, EmuTime now);
  void begin_cpu(double until, double to);
  /// Begins the CPU work of a piece, or the pause after it. Returns false if there is none.
  bool begin_piece(std::size_t piece, bool burns, EmuTime now);
  /// Begins a leg of evenly interrupted work, or the sleep. Returns false if there is none.
  bool begin_even_leg(int leg, EmuTime now);
  double share(EmuTime span) const;
  double growth_of_progress() const;
  double memory_at(double progress) const;
  /// Returns the microseconds until the crash at the present pace; endless if there is none.
  double time_to_crash(EmuTime now) const;
  void crash_if_due(EmuTime now);
  /// Returns the microseconds until the next corner at the present pace; endless if there is none.
  double time_to_corner() const;
  void pass_corners();

  // The work. Its legs: 0 is the sleep; 1, 3, … are pieces of the CPU work; 2, 4, … are the pauses
  // between them. The last one of `pieces_` may have a pause after it too.
  EmuTime sleep_, pause_;
  int pauses_ = 0;
  int threads_ = 1;
  double cpu_per_thread_ = 0;  ///< of all pieces, core-microseconds
  std::vector<WorkPiece> pieces_;
  std::vector<PieceEnd> piece_ends_;
  std::vector<MemoryPoint> memory_;
  bool executor_ = false;
  bool writes_ = false;
  EmuTime ideal_;
  EmuBytes limit_;

  Stage stage_ = Stage::kWaiting;
  bool suspended_ = false;
  bool inputs_ready_ = false;  ///< inputs came while the task was stopped
  double crash_at_;            ///< beyond 1: never
  bool crashed_ = false;
  bool jumped_ = true;
  int leg_ = 0;
  double goal_ = 1;                   ///< progress at the end of the last leg
  double from_ = 0, to_ = 0;          ///< progress at both ends of this leg; between legs `to_`
  EmuTime wait_, wait_end_;           ///< kSleeping: of this leg
  double cpu_from_ = 0, cpu_to_ = 0;  ///< kWorking: of each thread, core-microseconds
  std::size_t corner_ = 0;            ///< the first corner not yet passed
  // The straight line, as of since_.
  EmuTime since_;
  double progress_ = 0;
  double done_ = 0;  ///< CPU of each thread, core-microseconds
  double rate_ = 0;
  double slope_ = 0;
  EmuTime due_ = kNever;
  // The past, up to since_.
  CoreTime past_cpu_;  ///< of parts that are done
  double peak_ = 0;
  double byte_us_ = 0;
};

}  // namespace heddle::sim
