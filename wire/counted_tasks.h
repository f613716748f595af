#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/engine.h"

namespace heddle::wire {

/// The place of the report of a container among those that nodes make at the same time. Nodes
/// report one after the other. A node first reports starts, then what was killed, in that order,
/// and then other ends.
struct ReportPlace {
  enum Kind { kStarted, kKilled, kEnded };
  std::int64_t node = 0;
  Kind kind = kStarted;
  std::int64_t killed = 0;  ///< how many were killed before it, and it; 0: not killed
  std::int64_t container = 0;
  friend auto operator<=>(const ReportPlace&, const ReportPlace&) = default;
};

/// Numbers the single containers of a simulation in which one container stands for all tasks of a
/// job (sim/counted_form.h), and chooses their nodes: the lowest ones that are free, as a
/// simulation of single tasks does.
class CountedTasks {
 public:
  /// `scenario`: the one with single tasks. `per_node`: tasks that fit on a node.
  CountedTasks(const Scenario& scenario, int per_node);

  /// Takes in what has ended and what was launched. The containers that have ended are known until
  /// the next call.
  void follow(std::span<const Event> events, const Step& step);

  /// A number of tasks on each node from `first` to `last`.
  struct Nodes {
    NodeId first, last;
    int tasks = 1;
  };
  struct Containers {
    ContainerId first;  ///< the others have the numbers that follow
    int count = 1;
    std::int64_t killed = 0;  ///< how many were killed before them, and they; 0: not killed
    std::vector<std::pair<int, int>> places;  ///< [begin, end), ascending; of each node in turn
  };
  /// REQUIRES: the container was launched, and had not ended before the last call of follow().
  const Containers& of(ContainerId container) const { return containers_.at(container); }
  /// Returns the nodes of the containers, ascending.
  std::vector<Nodes> nodes_of(const Containers& containers) const;
  /// Sorts reports of containers at the front of `events` by the places of their last containers,
  /// because a job ends with its last one.
  void sort(std::vector<Event>& events) const;
  /// Returns the launch of the first single container.
  Launch first(Launch launch) const;
  std::int64_t node_count() const { return std::ssize(scenario_.cluster.nodes); }

 private:
  Containers take(int count);
  void give_back(const Containers& containers);

  const Scenario& scenario_;
  int per_node_;
  std::map<int, int> free_;  ///< free places: the end by the begin
  std::unordered_map<ContainerId, Containers> containers_;
  std::vector<ContainerId> ended_;
  std::int64_t next_ = 0;    ///< number of the next single container
  std::int64_t killed_ = 0;  ///< number of kills so far
};

}  // namespace heddle::wire
