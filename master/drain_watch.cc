#include "master/drain_watch.h"

#include <algorithm>

namespace heddle::master {

real::Duration DrainWatch::pause_after(int failures) {
  constexpr int kMostDoublings = 6;  // more doublings give kLongestPause
  return std::min(kFirstPause * (1 << std::min(failures, kMostDoublings)), kLongestPause);
}

void DrainWatch::drain(Node& node, real::Time now) {
  node.drained = true;
  node.probe_at = now + pause_after(node.failures);
}

bool DrainWatch::failed(NodeId id, const std::string& reason, real::Time now) {
  Node& node = nodes_[id];
  node.reason = reason;
  if (node.drained) return false;  // the start had begun before the drain
  if (++node.in_a_row < kInARow) return false;
  // More failures than kInARow: this is the first failure after a successful probe.
  if (node.in_a_row > kInARow) ++node.failures;
  node.in_a_row = kInARow;
  drain(node, now);
  return true;
}

void DrainWatch::ran(NodeId id) {
  auto it = nodes_.find(id);
  if (it != nodes_.end() && !it->second.drained) nodes_.erase(it);
}

bool DrainWatch::probed(NodeId id, const std::string& reason, real::Time now) {
  auto it = nodes_.find(id);
  if (it == nodes_.end() || !it->second.drained) return false;  // the answer came twice
  Node& node = it->second;
  if (reason.empty()) {
    node.drained = false;
    return true;
  }
  node.reason = reason;
  ++node.failures;
  drain(node, now);
  return false;
}

void DrainWatch::recover(NodeId id, const std::string& reason) {
  Node& node = nodes_[id];
  node = {};
  node.in_a_row = kInARow;
  node.drained = true;
  node.reason = reason;
}

std::vector<NodeId> DrainWatch::take_due(real::Time now) {
  std::vector<NodeId> due;
  for (auto& [id, node] : nodes_) {
    if (!node.drained || node.probe_at > now) continue;
    due.push_back(id);
    node.probe_at = now + kAnswer;
  }
  return due;
}

std::optional<real::Time> DrainWatch::next_time() const {
  std::optional<real::Time> next;
  for (const auto& [id, node] : nodes_)
    if (node.drained) next = std::min(next.value_or(node.probe_at), node.probe_at);
  return next;
}

bool DrainWatch::hopeless() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& entry) {
    return !entry.second.drained || entry.second.failures >= kHopeless;
  });
}

std::map<NodeId, std::string> DrainWatch::drained() const {
  std::map<NodeId, std::string> drained;
  for (const auto& [id, node] : nodes_)
    if (node.drained) drained.emplace(id, node.reason);
  return drained;
}

}  // namespace heddle::master
