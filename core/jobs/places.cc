#include "core/jobs/places.h"

#include <algorithm>
#include <cassert>

namespace heddle {

Places::Places(const ClusterSpec& cluster, std::vector<std::vector<NodeId>> data)
    : cluster_(cluster), data_(std::move(data)), asked_(data_.size()) {
  for (int task = 0; task < std::ssize(data_); ++task) {
    all_.tasks.push_back(task);
    for (NodeId node : data_[task]) {
      by_node_[node].tasks.push_back(task);
      std::vector<int>& near = by_rack_[cluster_.nodes[node.value].rack].tasks;
      if (near.empty() || near.back() != task) near.push_back(task);
    }
  }
}

void Places::begin_at(List& list, int task) {
  const auto at = std::lower_bound(list.tasks.begin(), list.tasks.end(), task);
  list.from = std::min(list.from, static_cast<std::size_t>(at - list.tasks.begin()));
}

void Places::ask(int task) {
  asked_[task] = true;
  begin_at(all_, task);
  for (NodeId node : data_[task]) {
    begin_at(by_node_.at(node), task);
    begin_at(by_rack_.at(cluster_.nodes[node.value].rack), task);
  }
}

void Places::take(int task) { asked_[task] = false; }

int Places::first(const List& list, const std::set<int>& without) const {
  while (list.from < list.tasks.size() && !asked_[list.tasks[list.from]]) ++list.from;
  for (std::size_t i = list.from; i < list.tasks.size(); ++i)
    if (asked_[list.tasks[i]] && !without.contains(list.tasks[i])) return list.tasks[i];
  return -1;
}

int Places::first(const std::set<int>& without) const {
  const int task = first(all_, without);
  assert(task >= 0);
  return task;
}

int Places::local(NodeId node, const std::set<int>& without, int most) const {
  const auto it = by_node_.find(node);
  if (it == by_node_.end() || first(it->second, without) < 0) return 0;
  const List& list = it->second;
  int found = 0;
  for (std::size_t i = list.from; i < list.tasks.size() && found < most; ++i)
    if (asked_[list.tasks[i]] && !without.contains(list.tasks[i])) ++found;
  return found;
}

NextTask Places::nearest(NodeId node, const std::set<int>& without) const {
  if (auto it = by_node_.find(node); it != by_node_.end())
    if (int task = first(it->second, without); task >= 0) return {task, Locality::kLocal};
  if (auto it = by_rack_.find(cluster_.nodes[node.value].rack); it != by_rack_.end())
    if (int task = first(it->second, without); task >= 0) return {task, Locality::kRack};
  return {first(without), Locality::kRemote};
}

}  // namespace heddle
