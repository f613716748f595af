#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/history.h"

namespace heddle::report {

enum class Counter {
  kCoresAllocated,
  kCoresUsed,
  kMemoryAllocated,
  kMemoryUsed,
  kContainers,
  kCoresOutside,
  kMemoryOutside,
  kJobsWaiting,
  kJobsRunning
};
inline constexpr int kCounters = 9;

/// A counter of a process of the timeline: process 0 is the cluster, process 1 + i is node i.
struct Track {
  int process = 0;
  Counter counter = Counter::kCoresAllocated;
};

/// The value of a counter from a time on. Cores are rounded to the thousandth, memory to the tenth
/// of a MiB.
struct CounterPoint {
  EmuTime at;
  Track track;
  double value = 0;
};

/// Stores amounts that change over time. Only the changes are stored. An amount is in millicores,
/// in bytes, or a number of things such as jobs.
class CounterTable {
 public:
  void change(Track track, EmuTime at, std::int64_t by);
  /// Changes the counter of a node and of the cluster.
  void change_node(NodeId node, Counter counter, EmuTime at, std::int64_t by);

  /// Returns the points, sorted by time and then by track. A point is left out if its value is
  /// unchanged. If `resolution` is above 0, only the last point of each span of that length is
  /// kept.
  std::vector<CounterPoint> points(EmuTime resolution) const;
  /// Returns the same, with a resolution for which there are about `most` points.
  std::vector<CounterPoint> points(std::size_t most) const;

 private:
  struct Change {
    EmuTime at;
    int track = 0;  ///< process * kCounters + counter
    std::int64_t by = 0;
  };
  std::vector<Change> changes_;
};

/// Converts samples of nodes into changes of counters.
class UseCounters {
 public:
  /// If a sample of a node follows the previous one by less than `resolution`, it is skipped,
  /// except for the last one before a gap. A lost node uses nothing. `rows` are the rows about
  /// nodes in the run's history.
  UseCounters(std::size_t nodes, const std::vector<NodeRow>& rows, EmuTime resolution,
              CounterTable& table);
  void take(const UsageSample& sample);
  void finish();

 private:
  struct Reading {
    EmuTime at;
    double cores = 0;
    EmuBytes memory;
  };
  struct Node {
    EmuTime at;  ///< time of the last sample that was not skipped
    std::int64_t millicores = 0, bytes = 0;
    std::optional<Reading> skipped;  ///< the last one since
    std::vector<EmuTime> losses;     ///< future losses, the next one last
  };
  void set(NodeId id, const Reading& reading);
  void set(NodeId id, Counter counter, EmuTime at, std::int64_t& now, std::int64_t value);
  void lose(NodeId id, EmuTime until);

  EmuTime resolution_;
  CounterTable& table_;
  std::vector<Node> nodes_;
};

/// Counts everything except what samples measure: allocations, running containers, external load
/// and jobs. `history.summary` has the jobs.
void count_history(const RunHistory& history, CounterTable& table);

}  // namespace heddle::report
