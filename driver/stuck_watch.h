#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/engine.h"
#include "driver/calendar.h"

namespace heddle::driver {

/// Detects that a run is stuck. A run is stuck if many heartbeats have had no effect, and nothing
/// else is to come.
class StuckWatch {
 public:
  /// All must outlive the watch.
  StuckWatch(const Scenario& scenario, const ClusterState& state, const Calendar& calendar)
      : scenario_(scenario), state_(state), calendar_(calendar) {}

  void note_heartbeat() { ++quiet_heartbeats_; }
  /// Notes heartbeats that nobody simulates. REQUIRES: stuck() would be false after each of them.
  void note_heartbeats(std::int64_t count) { quiet_heartbeats_ += count; }
  /// Returns how many heartbeats must follow until stuck() can return true.
  std::int64_t heartbeats_left() const;
  void note(std::span<const Event> events, const Step& step);
  /// `can_report`: whether a container that is no application master can report something without a
  /// further action. `pending`: whether anything else is under way. They are called only after many
  /// heartbeats without effect.
  bool stuck(const std::function<bool(const Container&)>& can_report,
             const std::function<bool()>& pending) const;
  /// Returns whether a container can report something. Until it does, stuck() returns false.
  bool awaits_report(const std::function<bool(const Container&)>& can_report) const;
  /// Returns the reason with which a stuck run ends.
  std::string reason() const;

 private:
  std::int64_t enough() const;
  const PhaseSpec& phase(const Container& container) const {
    const PhaseId id = container.task.phase;
    return scenario_.jobs[id.job.value].phases[id.phase];
  }

  const Scenario& scenario_;
  const ClusterState& state_;
  const Calendar& calendar_;
  // Numbers since the last event or action that was no heartbeat, wake or reservation.
  std::int64_t quiet_heartbeats_ = 0;
  std::int64_t quiet_wakes_ = 0;
};

}  // namespace heddle::driver
