#pragma once

#include <algorithm>

#include "common/units.h"

namespace heddle::external {

/// Limits how much a program adds to the journal: at once at most `burst`, and in the long run
/// `rate` per emulated second. Pure.
class Allowance {
 public:
  constexpr Allowance(double rate, double burst) : rate_(rate), burst_(burst), left_(burst) {}
  /// Returns how much is left. REQUIRES: `now` is not before that of an earlier take().
  double left(EmuTime now) const {
    return std::min(burst_, left_ + rate_ * to_seconds(EmuTime(now - at_)));
  }
  void take(EmuTime now, double amount) {
    left_ = std::max(0.0, left(now) - amount);
    at_ = now;
  }

 private:
  double rate_, burst_, left_;
  EmuTime at_{0};
};

}  // namespace heddle::external
