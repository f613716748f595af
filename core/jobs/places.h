#pragma once

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/ids.h"
#include "core/model/locality.h"

namespace heddle {

/// The task that a node could get next, and the task's locality on that node.
struct NextTask {
  int task = -1;
  Locality locality = Locality::kAny;
};

/// Holds the requested tasks of one phase, indexed by the nodes that have the tasks' data. Each
/// task has its own data.
class Places {
 public:
  /// `data`: for each task, the nodes with its data. A task without such nodes is remote on every
  /// node. At first, no task is requested. The cluster must outlive the object.
  Places(const ClusterSpec& cluster, std::vector<std::vector<NodeId>> data)
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

  void ask(int task) {
    asked_[task] = true;
    begin_at(all_, task);
    for (NodeId node : data_[task]) {
      begin_at(by_node_.at(node), task);
      begin_at(by_rack_.at(cluster_.nodes[node.value].rack), task);
    }
  }

  void take(int task) { asked_[task] = false; }
  /// Returns the requested task whose data is nearest to the node. Of several such tasks, returns
  /// the smallest index. Tasks in `without` count as launched. REQUIRES: a task is left.
  NextTask nearest(NodeId node, const std::set<int>& without) const {
    if (auto it = by_node_.find(node); it != by_node_.end())
      if (int task = first(it->second, without); task >= 0) return {task, Locality::kLocal};
    if (auto it = by_rack_.find(cluster_.nodes[node.value].rack); it != by_rack_.end())
      if (int task = first(it->second, without); task >= 0) return {task, Locality::kRack};
    return {first(without), Locality::kRemote};
  }

  /// Returns how many requested tasks outside `without` have their data on the node, but at most
  /// `most`.
  int local(NodeId node, const std::set<int>& without, int most) const {
    const auto it = by_node_.find(node);
    if (it == by_node_.end() || first(it->second, without) < 0) return 0;
    const List& list = it->second;
    int found = 0;
    for (std::size_t i = list.from; i < list.tasks.size() && found < most; ++i)
      if (asked_[list.tasks[i]] && !without.contains(list.tasks[i])) ++found;
    return found;
  }

  /// Returns the smallest index of a requested task outside `without`. REQUIRES: there is such a
  /// task.
  int first(const std::set<int>& without) const {
    const int task = first(all_, without);
    assert(task >= 0);
    return task;
  }

  const std::vector<NodeId>& data(int task) const { return data_[task]; }

 private:
  /// A list of tasks in ascending order. No task before the position `from` is requested.
  struct List {
    std::vector<int> tasks;
    mutable std::size_t from = 0;
  };
  /// Returns the first requested task of the list outside `without`. Returns -1 if there is no such
  /// task.
  int first(const List& list, const std::set<int>& without) const {
    while (list.from < list.tasks.size() && !asked_[list.tasks[list.from]]) ++list.from;
    for (std::size_t i = list.from; i < list.tasks.size(); ++i)
      if (asked_[list.tasks[i]] && !without.contains(list.tasks[i])) return list.tasks[i];
    return -1;
  }

  static void begin_at(List& list, int task) {
    const auto at = std::lower_bound(list.tasks.begin(), list.tasks.end(), task);
    list.from = std::min(list.from, static_cast<std::size_t>(at - list.tasks.begin()));
  }

  const ClusterSpec& cluster_;
  std::vector<std::vector<NodeId>> data_;
  std::vector<bool> asked_;
  std::map<NodeId, List> by_node_;
  std::map<std::string, List> by_rack_;
  List all_;
};

}  // namespace heddle
