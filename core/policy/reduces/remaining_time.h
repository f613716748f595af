#pragma once

#include <memory>
#include <span>

#include "core/policy/draft.h"

namespace heddle {

/// How long reduces that run now will still take (policies.md, section 5).
class RemainingTime {
 public:
  virtual ~RemainingTime() = default;
  /// Takes in what came since the last step: what heartbeats have measured, what started and ended.
  /// What it goes by has to be in the journal (Draft::remember), what it says may be (Draft::note).
  virtual void refresh(Draft& draft, std::span<const Event> events) = 0;
  /// Emulated time from now to its end, `prediction_noise` included, never negative. REQUIRES: a
  /// live container of a reduce phase.
  virtual EmuTime of(const Container& reduce, const View& view) const = 0;
};

/// What option `predictor` names; nullptr if no part of the policy asks for remaining times. The
/// scenario must outlive it.
std::unique_ptr<RemainingTime> make_remaining_time(const Scenario& scenario);

}  // namespace heddle
