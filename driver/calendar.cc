#include "driver/calendar.h"

#include <algorithm>

namespace heddle::driver {

Calendar::Calendar(const Scenario& scenario)
    : loads_(load_changes(scenario.external_load)),
      loads_now_(scenario.cluster.nodes.size()),
      faults_(scenario) {
  for (std::int64_t i = 0; i < std::ssize(scenario.jobs); ++i)
    submissions_.emplace_back(scenario.jobs[i].submit, JobId{i});
  std::sort(submissions_.begin(), submissions_.end());
}

void Calendar::take_due(EmuTime now, std::vector<Event>& events) {
  for (; next_submission_ < submissions_.size() && submissions_[next_submission_].first <= now;
       ++next_submission_)
    events.push_back({submissions_[next_submission_].first,
                      JobSubmitted{submissions_[next_submission_].second}});
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
  if (std::holds_alternative<JobSubmitted>(event.what)) ++next_submission_;
  if (const auto* load = std::get_if<ExternalLoad>(&event.what)) {
    loads_now_[load->node.value] = load->load;
    ++next_load_;
  }
  if (std::holds_alternative<Wake>(event.what))
    wakes_.erase(wakes_.begin(), wakes_.upper_bound(event.at));
}

}  // namespace heddle::driver
