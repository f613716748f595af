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
  if (expects_none_) return false;
  const auto since = since_.find(node);
  const EmuTime registered = since == since_.end() ? EmuTime(0) : since->second;
  const std::optional<Absence> absent = absence(scenario_, node, now);
  // A worker that has registered after the fault is not kept away by it.
  const bool by_fault = absent && absent->since >= registered;
  if (by_fault && !absent->until) return false;
  EmuTime until = now + scenario_.scale().to_emulated(patience_);
  if (by_fault) until = std::max(until, *absent->until);
  if (until <= now) return false;
  awaited_[node] = {until, by_fault};
  return true;
}

void FaultWatch::back(NodeId node, EmuTime now) {
  awaited_.erase(node);
  since_[node] = now;
}

void FaultWatch::expect_none() {
  expects_none_ = true;
  for (auto& [node, awaited] : awaited_) awaited.until = EmuTime(0);
}

std::optional<EmuTime> FaultWatch::patient_until() const {
  std::optional<EmuTime> until;
  bool planned = true;
  for (const auto& [node, awaited] : awaited_) {
    until = std::max(until.value_or(awaited.until), awaited.until);
    planned = planned && awaited.by_fault;
  }
  return planned ? std::nullopt : until;
}

void FaultWatch::note_stall(real::Duration length) {
  if (expects_none_) return;
  for (auto& [node, awaited] : awaited_) awaited.until += scenario_.scale().to_emulated(length);
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
