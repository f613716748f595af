#include "driver/calendar.h"

#include <algorithm>

namespace heddle::driver {

Calendar::Calendar(const Scenario& scenario, real::Duration patience)
    : loads_(load_changes(scenario.external_load)),
      loads_now_(scenario.cluster.nodes.size()),
      faults_(scenario, patience) {
  for (std::int64_t i = 0; i < std::ssize(scenario.jobs); ++i)
    if (scenario.jobs[i].after.empty())
      submissions_.emplace_back(scenario.jobs[i].submit, JobId{i});
  std::sort(submissions_.begin(), submissions_.end());
}

bool Calendar::take_submission(EmuTime now, std::vector<Event>& events) {
  const bool left = next_submission_ < submissions_.size();
  const bool conditional =
      !eligible_.empty() && (!left || *eligible_.begin() < submissions_[next_submission_]);
  if (!left && !conditional) return false;
  const auto [at, job] = conditional ? *eligible_.begin() : submissions_[next_submission_];
  if (at > now) return false;
  events.push_back({at, JobSubmitted{job}});
  if (conditional)
    eligible_.erase(eligible_.begin());
  else
    ++next_submission_;
  return true;
}

void Calendar::take_due(EmuTime now, std::vector<Event>& events) {
  while (take_submission(now, events)) {
  }
  for (; next_load_ < loads_.size() && loads_[next_load_].at <= now; ++next_load_) {
    const ExternalLoad& load = loads_[next_load_].what;
    loads_now_[load.node.value] = load.load;
    events.push_back({loads_[next_load_].at, load});
  }
}

void Calendar::take_missing(EmuTime now, std::vector<Event>& events) {
  for (NodeId node : faults_.take_missing(now))
    events.push_back({now, NodeLost{node, "its worker did not come back"}});
}

void Calendar::take_wakes(EmuTime now, std::vector<Event>& events) {
  const auto later = wakes_.upper_bound(now);
  if (later == wakes_.begin()) return;
  wakes_.erase(wakes_.begin(), later);
  events.push_back({now, Wake{}});
}

void Calendar::recover(const Event& event) {
  if (const auto* submitted = std::get_if<JobSubmitted>(&event.what)) {
    if (next_submission_ < submissions_.size() &&
        submissions_[next_submission_].second == submitted->job)
      ++next_submission_;
    else
      eligible_.erase({event.at, submitted->job});
  }
  if (const auto* load = std::get_if<ExternalLoad>(&event.what)) {
    loads_now_[load->node.value] = load->load;
    ++next_load_;
  }
  if (std::holds_alternative<Wake>(event.what))
    wakes_.erase(wakes_.begin(), wakes_.upper_bound(event.at));
}

}  // namespace heddle::driver
