#pragma once

#include <algorithm>

#include "common/scale.h"
#include "common/units.h"

namespace heddle::master {

/// Computes the emulated time of a real run from real time, which the caller passes in. Emulated
/// time stands still until start(), also in a resumed run.
class LiveClock {
 public:
  explicit LiveClock(const Scale& scale) : scale_(scale) {}

  /// Returns the emulated time of the last step. This time never goes back.
  EmuTime now() const { return now_; }
  /// Returns the emulated time at the real time `at`, but at least the emulated time of the last
  /// step.
  EmuTime emulated(real::Time at) const { return runs_ ? std::max(now_, since_start(at)) : now_; }
  /// Returns the emulated time at the real time `at`, even if it is before the last step. REQUIRES:
  /// started.
  EmuTime since_start(real::Time at) const { return scale_.to_emulated(at - epoch_); }
  /// Returns the real time of an emulated time. REQUIRES: started.
  real::Time real(EmuTime at) const { return epoch_ + scale_.to_real(at); }
  /// Returns the emulated time at which the run was resumed. No new event is earlier.
  EmuTime resumed_at() const { return resumed_at_; }
  const Scale& scale() const { return scale_; }

  /// Starts emulated time, which continues from now(). Does nothing if emulated time already runs.
  void start(real::Time at) {
    if (!runs_) epoch_ = at - scale_.to_real(now_);
    runs_ = true;
  }
  void start_resumed(real::Time at) {
    start(at);
    resumed_at_ = now_;
  }
  /// Notes that the engine makes a step at the real time `at`.
  void step(real::Time at) { now_ = emulated(at); }
  /// Sets the emulated time to `now`, because a previous master made a step at that time or lived
  /// until that time.
  void recover(EmuTime now) { now_ = now; }

 private:
  Scale scale_;
  bool runs_ = false;
  real::Time epoch_;  ///< when emulated time was 0
  EmuTime now_;
  EmuTime resumed_at_;
};

}  // namespace heddle::master
