#include "core/scenario/fault_watch.h"

#include <algorithm>

namespace heddle {

FaultWatch::FaultWatch(const Scenario& scenario, real::Duration patience)
    : scenario_(scenario), patience_(patience), moments_(fault_moments(scenario)) {}

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
  lost_.insert(node);
  const auto since = since_.find(node);
  const EmuTime registered = since == since_.end() ? EmuTime(0) : since->second;
  const EmuTime patient_until = now + scenario_.scale().to_emulated(patience_);
  if (std::ssize(lost_) == std::ssize(scenario_.cluster.nodes)) set_patience_to_end(patient_until);
  const std::optional<Absence> absent = absence(scenario_, node, now);
  if (absent && absent->until)
    awaited_[node] = {*absent->until, true};
  else if (absent && absent->since >= registered)
    return false;
  else if (patient_until > now)
    awaited_[node] = {patient_until, false};
  return awaited_.contains(node);
}

void FaultWatch::back(NodeId node, EmuTime now) {
  lost_.erase(node);
  awaited_.erase(node);
  since_[node] = now;
}

void FaultWatch::expect_none() {
  patience_ = real::Duration(0);
  set_patience_to_end(EmuTime(0));
}

void FaultWatch::set_patience_to_end(EmuTime until) {
  for (auto& [node, awaited] : awaited_)
    if (!awaited.by_fault) awaited.until = until;
}

bool FaultWatch::is_patient() const {
  return std::ranges::any_of(awaited_, [](const auto& it) { return !it.second.by_fault; });
}

std::vector<NodeId> FaultWatch::take_missing(EmuTime now) {
  std::vector<NodeId> missing;
  for (const auto& [node, awaited] : awaited_)
    if (awaited.until <= now) missing.push_back(node);
  for (NodeId node : missing) awaited_.erase(node);
  return missing;
}

std::optional<EmuTime> FaultWatch::next_of_all() const {
  std::optional<EmuTime> next;
  if (next_ < moments_.size()) next = moments_[next_].at;
  for (const auto& [node, awaited] : awaited_)
    next = std::min(next.value_or(awaited.until), awaited.until);
  return next;
}

}  // namespace heddle
