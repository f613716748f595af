#pragma once

#include <cstddef>

#include "core/model/event.h"
#include "core/model/work.h"

namespace heddle {

/// "Never" as a point in time.
inline constexpr EmuTime kNever{INT64_MAX};

/// First whole microsecond at which `use` bytes, growing by `slope` bytes a microsecond from `now`
/// on, are more than `limit`; never if they don't grow. REQUIRES: use <= limit.
EmuTime time_above(double use, double slope, EmuBytes limit, EmuTime now);

/// One attempt's work in virtual time, as heddle-task does it for real: it waits for its inputs if
/// it has to, sleeps, then burns CPU in all its threads alike at a rate set from outside, memory
/// following the profile by progress. Between two calls everything moves in straight lines, so the
/// next time at which something changes is known exactly; it is a whole microsecond, rounded up so
/// that what was to be done is done.
///
/// Calls come in the order of time. A change that is due is to be taken note of (advance) at that
/// very time.
class TaskModel {
 public:
  /// `limit`: of its container's memory. `ideal`: ideal_time() of the work here.
  TaskModel(const TaskWork& work, EmuTime ideal, EmuBytes limit, EmuTime now);

  /// Takes note of what is due at `now`: the sleep is over, the work done, a corner passed.
  void advance(EmuTime now);
  /// Emulated core-seconds a second that each thread gets from now on.
  void set_rate(double rate, EmuTime now);
  /// Stopped: no progress, memory stays. A sleep goes on, being wall time; what it leads to shows
  /// only once the task is resumed.
  void suspend(EmuTime now);
  void resume(EmuTime now);
  /// What it waits for is there: the sleep begins. Does nothing if it doesn't wait.
  void inputs_ready(EmuTime now);

  /// Threads that want CPU, were it not suspended.
  int hungry() const;
  bool suspended() const { return suspended_; }
  /// All is done, and it is not stopped from saying so.
  bool finished() const { return stage_ == Stage::kDone && !suspended_; }
  /// When advance is to be called next, by the task itself.
  EmuTime due() const { return due_; }

  double progress(EmuTime now) const;
  CoreTime cpu(EmuTime now) const;
  /// Bytes; not whole ones on the way between two corners.
  double memory(EmuTime now) const;
  /// Bytes a microsecond at which memory grows (or shrinks) until due().
  double slope() const { return slope_; }
  /// It wants more memory than it had before: it came just now, jumped on being resumed, or rises.
  bool demanding() const { return jumped_ || slope_ > 0; }
  bool over_limit(EmuTime now) const { return memory(now) > static_cast<double>(limit_.count()); }

  /// Figures out slope() and due() from what holds now. To be called after any change.
  void plan(EmuTime now);
  /// What was measured of it up to now; memory is never above the limit, where the kernel kills.
  /// Contention is for others to know.
  AttemptUsage usage(EmuTime now) const;

 private:
  enum class Stage { kWaiting, kSleeping, kWorking, kDone };

  /// Begins a new straight line at `now`.
  void rebase(EmuTime now);
  /// Rounding must not leave a corner that is reached just out of reach.
  void snap_to_corner();
  void begin_sleep(EmuTime now);
  void begin_work();
  double growth_of_progress() const;
  double memory_at(double progress) const;
  /// Microseconds until the next corner at the present pace; endless if there is none.
  double time_to_corner() const;
  void pass_corners();

  TaskWork work_;
  EmuTime ideal_;
  EmuBytes limit_;
  double cpu_per_thread_ = 0;  ///< core-microseconds
  double sleep_share_ = 0;     ///< of progress

  Stage stage_ = Stage::kWaiting;
  bool suspended_ = false;
  bool jumped_ = true;
  EmuTime sleep_end_;
  std::size_t corner_ = 0;  ///< the first one not passed yet
  // The line, as of since_.
  EmuTime since_;
  double progress_ = 0;
  double done_ = 0;  ///< CPU of each thread, core-microseconds
  double rate_ = 0;
  double slope_ = 0;
  EmuTime due_ = kNever;
  // The past, up to since_.
  double peak_ = 0;
  double byte_us_ = 0;
};

}  // namespace heddle
