#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/ids.h"
#include "core/model/locality.h"

namespace heddle {

/// A task that might go to a node next, and how near to its data it would be there.
struct NextTask {
  int task = -1;
  Locality locality = Locality::kAny;
};

/// The tasks of one phase that are asked for, by where their data is, each having its own.
class Places {
 public:
  /// `data`: by task, the nodes that have its data; of none it is as near as can be nowhere.
  /// Nothing is asked for yet. The cluster must outlive it.
  Places(const ClusterSpec& cluster, std::vector<std::vector<NodeId>> data);

  void ask(int task);
  void take(int task);
  /// The nearest task for the node, of equally near ones the smallest index. `without` counts as
  /// taken. REQUIRES: one is left.
  NextTask nearest(NodeId node, const std::set<int>& without) const;
  /// How many asked for and not in `without` have their data on the node; no more than `most` are
  /// counted.
  int local(NodeId node, const std::set<int>& without, int most) const;
  /// The smallest index asked for and not in `without`. REQUIRES: one is left.
  int first(const std::set<int>& without) const;
  const std::vector<NodeId>& data(int task) const { return data_[task]; }

 private:
  /// Tasks, ascending; none before `from` is asked for.
  struct List {
    std::vector<int> tasks;
    mutable std::size_t from = 0;
  };
  /// -1: none.
  int first(const List& list, const std::set<int>& without) const;
  static void begin_at(List& list, int task);

  const ClusterSpec& cluster_;
  std::vector<std::vector<NodeId>> data_;
  std::vector<bool> asked_;
  std::map<NodeId, List> by_node_;
  std::map<std::string, List> by_rack_;
  List all_;
};

}  // namespace heddle
