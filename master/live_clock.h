#pragma once

#include <algorithm>

#include "common/scale.h"
#include "common/units.h"

namespace heddle::master {

/// The emulated time of a real run. It stands still until start(), and again after a resume until
/// then; the caller passes real time in.
class LiveClock {
 public:
  explicit LiveClock(const Scale& scale) : scale_(scale) {}

  /// Returns the emulated time of the last step; it never goes back.
  EmuTime now() const { return now_; }
  /// Returns the emulated time at `at`, no earlier than that of the last step.
  EmuTime emulated(real::Time at) const { return runs_ ? std::max(now_, since_start(at)) : now_; }
  /// Returns the same without that limit. REQUIRES: started.
  EmuTime since_start(real::Time at) const { return scale_.to_emulated(at - epoch_); }
  /// REQUIRES: started.
  real::Time real(EmuTime at) const { return epoch_ + scale_.to_real(at); }
  /// Returns the time at which the run was resumed: nothing new lies before.
  EmuTime resumed_at() const { return resumed_at_; }
  const Scale& scale() const { return scale_; }

  /// Emulated time goes on from now() at once. Does nothing while it runs.
  void start(real::Time at) {
    if (!runs_) epoch_ = at - scale_.to_real(now_);
    runs_ = true;
  }
  void start_resumed(real::Time at) {
    start(at);
    resumed_at_ = now_;
  }
  /// A step is made.
  void step(real::Time at) { now_ = emulated(at); }
  /// A step of a former life of the run was made then, or the run lived on until then.
  void recover(EmuTime now) { now_ = now; }

 private:
  Scale scale_;
  bool runs_ = false;
  real::Time epoch_;  ///< emulated 0
  EmuTime now_;
  EmuTime resumed_at_;
};

}  // namespace heddle::master
