#include "core/scenario/fault_watch.h"

#include <algorithm>

namespace heddle {

FaultWatch::FaultWatch(const Scenario& scenario)
    : scenario_(scenario), moments_(fault_moments(scenario)) {}

const FaultMoment* FaultWatch::take(EmuTime now) {
  if (next_ == moments_.size() || moments_[next_].at > now) return nullptr;
  const FaultMoment& moment = moments_[next_++];
  if (changes_conditions(scenario_.faults[moment.fault].kind))
    conditions_[*moment.node] = moment.conditions;
  return &moment;
}

const NodeConditions* FaultWatch::conditions(NodeId node) const {
  auto it = conditions_.find(node);
  return it == conditions_.end() ? nullptr : &it->second;
}

bool FaultWatch::lost(NodeId node, EmuTime now) {
  const std::optional<EmuTime> until = awaited_until(scenario_, node, now);
  if (until) awaited_[node] = *until;
  return until.has_value();
}

std::vector<NodeId> FaultWatch::take_missing(EmuTime now) {
  std::vector<NodeId> missing;
  for (const auto& [node, until] : awaited_)
    if (until <= now) missing.push_back(node);
  for (NodeId node : missing) awaited_.erase(node);
  return missing;
}

std::optional<EmuTime> FaultWatch::next_of_all() const {
  std::optional<EmuTime> next;
  if (next_ < moments_.size()) next = moments_[next_].at;
  for (const auto& [node, until] : awaited_) next = std::min(next.value_or(until), until);
  return next;
}

}  // namespace heddle
