#include "sim/stuck_watch.h"

#include <algorithm>

#include "common/text.h"

namespace heddle::sim {
namespace {

// A run is stuck if nothing happens for so many heartbeats of every node. If the policy requests
// wakes, nothing must happen for so many wakes, too. This is long enough for policies that wait for
// a certain time.
constexpr std::int64_t kQuietRounds = 1000;
constexpr std::int64_t kQuietWakes = 100;
constexpr std::size_t kNamedJobs = 5;

}  // namespace

void StuckWatch::note(const std::vector<Event>& events, const Step& step) {
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
  } else if (std::holds_alternative<Wake>(events.front().what)) {
    ++quiet_wakes_;
  }
}

bool StuckWatch::stuck() const {
  const std::int64_t enough = kQuietRounds * std::ssize(cluster_.nodes);
  if (quiet_heartbeats_ == 0 || quiet_heartbeats_ % enough != 0) return false;
  if (calendar_.awaits_wake() && quiet_wakes_ < kQuietWakes) return false;
  return !anything_pending();
}

bool StuckWatch::anything_pending() const {
  if (calendar_.next_planned() || !cluster_.deliveries.empty() || !cluster_.reports.empty() ||
      cluster_.any_settling())
    return true;
  const auto& containers = state_.containers();
  return std::any_of(containers.begin(), containers.end(), [&](const Container& container) {
    PhaseId phase = container.task.phase;
    // An application master never ends by itself.
    if (cluster_.scenario.jobs[phase.job.value].phases[phase.phase].kind == PhaseKind::kAm)
      return false;
    return !cluster_.nodes[container.node.value].worker.at_rest(container.id);
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

}  // namespace heddle::sim
