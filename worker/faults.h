#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/units.h"
#include "core/scenario/faults.h"

namespace heddle::worker {

/// Most bytes of messages that are kept for later.
inline constexpr std::size_t kMostHeld = 64 << 20;

/// Applies the scenario's faults to this worker's messages. Pure. Times are real.
class Faults {
 public:
  void set(const std::vector<BeatRule>& rules);
  /// Returns what the rules do to the next heartbeat, for example lose it or delay it.
  BeatFate next_fate() { return fate_of(rules_, ++beats_); }

  /// Begins a cut-off. Until `until`, no message is sent or received.
  void cut_off(real::Time until);
  bool is_cut_off(real::Time now) const { return now < cut_until_; }
  /// Returns true at the first call after the end of a cut-off.
  bool take_reconnected(real::Time now);

  /// Keeps a message that is to be sent at `until`. If more than kMostHeld bytes are kept, the
  /// message is lost.
  void hold(std::string message, real::Time until);
  std::vector<std::string> take_held(real::Time now);

  /// Returns when take_reconnected() or take_held() next has something to return, or
  /// real::Time::max() if never.
  real::Time next_due() const;

 private:
  struct Held {
    real::Time until;
    std::string message;
  };
  std::vector<BeatRule> rules_;
  std::int64_t beats_ = 0;  ///< heartbeats since the rules were set
  real::Time cut_until_;
  bool cut_ = false;
  std::vector<Held> held_;      ///< in the order in which they were to be sent
  std::size_t held_bytes_ = 0;  ///< of these messages
};

}  // namespace heddle::worker
