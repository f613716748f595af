#include "driver/stuck_watch.h"

#include <algorithm>

#include "common/text.h"

namespace heddle::driver {
namespace {

// A run is stuck if nothing happens for so many heartbeats of every node. If the policy requests
// wakes, nothing must happen for so many wakes, too. This is long enough for policies that wait for
// a certain time.
constexpr std::int64_t kQuietRounds = 1000;
constexpr std::int64_t kQuietWakes = 100;
constexpr std::size_t kNamedJobs = 5;

}  // namespace

void StuckWatch::note(std::span<const Event> events, const Step& step) {
  bool moved = std::any_of(events.begin(), events.end(), [](const Event& event) {
    return !std::holds_alternative<NodeHeartbeat>(event.what) &&
           !std::holds_alternative<Wake>(event.what) &&
           !std::holds_alternative<PolicyReplied>(event.what);
  });
  moved = moved || std::any_of(step.actions.begin(), step.actions.end(), [](const Action& action) {
            return !std::holds_alternative<WakeAt>(action.what) &&
                   !std::holds_alternative<Reserve>(action.what) &&
                   !std::holds_alternative<Unreserve>(action.what);
          });
  if (moved) {
    quiet_heartbeats_ = quiet_wakes_ = 0;
  } else if (!events.empty() && std::holds_alternative<Wake>(events.front().what)) {
    ++quiet_wakes_;
  }
}

std::int64_t StuckWatch::heartbeats_left() const { return enough() - quiet_heartbeats_ % enough(); }

std::int64_t StuckWatch::enough() const {
  return kQuietRounds * std::ssize(scenario_.cluster.nodes);
}

bool StuckWatch::stuck(const std::function<bool(const Container&)>& can_report,
                       const std::function<bool()>& pending) const {
  if (quiet_heartbeats_ == 0 || quiet_heartbeats_ % enough() != 0) return false;
  if (calendar_.awaits_wake() && quiet_wakes_ < kQuietWakes) return false;
  if (calendar_.next_planned() || pending()) return false;
  return !awaits_report(can_report);
}

bool StuckWatch::awaits_report(const std::function<bool(const Container&)>& can_report) const {
  const auto& containers = state_.containers();
  return std::any_of(containers.begin(), containers.end(), [&](const Container& container) {
    // An application master never ends by itself.
    return phase(container).kind != PhaseKind::kAm && can_report(container);
  });
}

std::string StuckWatch::reason() const {
  std::vector<std::string> names;
  std::size_t stuck = 0;
  for (const Job& job : state_.jobs())
    if (!job.finished() && ++stuck <= kNamedJobs) names.push_back(job.spec().name);
  if (stuck > kNamedJobs) names.push_back(std::to_string(stuck - kNamedJobs) + " more");
  return "the run is stuck: no task runs and heartbeats lead to no action; unfinished jobs: " +
         join(names);
}

}  // namespace heddle::driver
