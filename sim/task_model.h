#pragma once

#include <cstddef>
#include <vector>

#include "core/model/event.h"
#include "core/model/work.h"
#include "sim/virtual_time.h"

namespace heddle::sim {

/// One attempt's work in virtual time, as heddle-task does it for real: it waits for its inputs if
/// it has any, sleeps, then burns CPU in all its threads alike at a rate set from outside, with
/// pauses in between, memory following the profile by progress; what it writes is waited for
/// before it ends. An executor does that part by part, until it is told to finish. Between two
/// calls everything moves in straight lines (sim/virtual_time.h).
///
/// Calls come in the order of time. A change that is due is to be taken note of (advance) at that
/// very time.
class TaskModel {
 public:
  /// `limit`: of its container's memory. `ideal`: ideal_time() of the work here.
  TaskModel(const TaskWork& work, EmuTime ideal, EmuBytes limit, EmuTime now);

  /// Takes note of what is due at `now`: a sleep is over, the work done, a corner passed.
  void advance(EmuTime now);
  /// Emulated core-seconds a second that each thread gets from now on.
  void set_rate(double rate, EmuTime now);
  /// Stopped: no progress, memory stays. A sleep goes on, being wall time; what it leads to shows
  /// only once the task is resumed.
  void suspend(EmuTime now);
  void resume(EmuTime now);
  /// What it waits for is there: its work, or an executor's next part, begins, once it is not
  /// stopped. Does nothing if it doesn't wait.
  void inputs_ready(EmuTime now);
  /// What an executor is to do next, once its inputs are there. REQUIRES: it has no part.
  void run(const TaskPart& part, EmuTime now);
  /// An executor ends. REQUIRES: it has no part.
  void finish(EmuTime now);
  /// What it writes is written. REQUIRES: writing().
  void written(EmuTime now);

  /// Threads that want CPU, were it not suspended.
  int runnable() const;
  bool suspended() const { return suspended_; }
  /// It came to the progress at which it is to crash (TaskWork::crash_at).
  bool crashed() const { return crashed_; }
  bool executor() const { return executor_; }
  /// The work is done, or an executor's part; what it writes is not.
  bool writing() const { return stage_ == Stage::kWriting; }
  /// All is done, and it is not stopped from saying so.
  bool finished() const { return stage_ == Stage::kDone && !suspended_; }
  /// When advance is to be called next, by the task itself.
  EmuTime due() const { return due_; }

  double progress(EmuTime now) const;
  CoreTime cpu(EmuTime now) const;
  /// Bytes; not whole ones on the way between two corners.
  double memory(EmuTime now) const;
  struct Use {
    CoreTime cpu;
    double memory, progress;
  };
  Use use(EmuTime now) const;
  /// Bytes a microsecond at which memory grows (or shrinks) until due().
  double slope() const { return slope_; }
  /// It wants more memory than it had before: it came just now, jumped on being resumed, or rises.
  bool demanding() const { return jumped_ || slope_ > 0; }
  bool over_limit(EmuTime now) const { return memory(now) > static_cast<double>(limit_.count()); }

  /// Figures out slope() and due() from what holds now. To be called after any change.
  void plan(EmuTime now);
  /// What was measured of it up to now; memory is never above the limit, where the kernel kills.
  /// Contention and data are for others to know.
  AttemptUsage usage(EmuTime now);

 private:
  enum class Stage { kWaiting, kSleeping, kWorking, kWriting, kDone };

  /// Begins a new straight line at `now`.
  void rebase(EmuTime now);
  /// Rounding must not leave a corner that is reached just out of reach.
  void snap_to_corner();
  /// After a step forward in no time: memory follows, past the corners in between.
  void jump(EmuTime now);
  void begin_leg(int leg, EmuTime now);
  void begin_wait(EmuTime span, double to, EmuTime now);
  void begin_cpu(double until, double to);
  /// Of the work in pieces: the piece's CPU, or the pause behind it. False if there is none.
  bool begin_piece(std::size_t piece, bool burns, EmuTime now);
  /// The same of evenly interrupted work, from leg 1 on.
  bool begin_even_leg(int leg, EmuTime now);
  double share(EmuTime span) const;
  double growth_of_progress() const;
  double memory_at(double progress) const;
  /// Microseconds until it crashes at the present pace; endless if it doesn't.
  double time_to_crash(EmuTime now) const;
  void crash_if_due(EmuTime now);
  /// Microseconds until the next corner at the present pace; endless if there is none.
  double time_to_corner() const;
  void pass_corners();

  // What it is to do. The legs of its way: 0 is the sleep, 1, 3, … pieces of the CPU work, 2, 4, …
  // the pauses between them; behind the last one of `pieces_` there may be a pause as well.
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
  bool inputs_ready_ = false;  ///< while it was stopped
  double crash_at_;            ///< beyond 1: never
  bool crashed_ = false;
  bool jumped_ = true;
  int leg_ = 0;
  double goal_ = 1;           ///< progress at the end of the last leg
  double from_ = 0, to_ = 0;  ///< progress at both ends of this one; between legs it is `to_`
  EmuTime wait_, wait_end_;   ///< kSleeping: of this leg
  double cpu_from_ = 0, cpu_to_ = 0;  ///< kWorking: of each thread, core-microseconds
  std::size_t corner_ = 0;            ///< the first one not passed yet
  // The line, as of since_.
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
