#pragma once

#include <cstdint>
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

/// A counter of a process of the time line: 0 the cluster, 1 + i node i.
struct Track {
  int process = 0;
  Counter counter = Counter::kCoresAllocated;
};

/// Its value from then on: cores by the thousandth, memory by the tenth of a MiB.
struct CounterPoint {
  EmuTime at;
  Track track;
  double value = 0;
};

/// Amounts that change over time, each kept as its changes: millicores, bytes, or a number of
/// things.
class CounterTable {
 public:
  void change(Track track, EmuTime at, std::int64_t by);
  /// The same of a node and of the cluster.
  void change_node(NodeId node, Counter counter, EmuTime at, std::int64_t by);

  /// By time, then track; only where the value is another than before, and, with a `resolution`,
  /// the last of each span of that length.
  std::vector<CounterPoint> points(EmuTime resolution) const;
  /// The same, as coarse as it takes for about `most` points.
  std::vector<CounterPoint> points(std::size_t most) const;

 private:
  struct Change {
    EmuTime at;
    int track = 0;  ///< process * kCounters + counter
    std::int64_t by = 0;
  };
  std::vector<Change> changes_;
};

/// What samples say of nodes, as changes.
class UseCounters {
 public:
  /// Nodes' samples that follow each other by less than `resolution` are passed over; what is lost
  /// (`nodes`: those rows of the run) uses nothing.
  UseCounters(std::size_t nodes, const std::vector<NodeRow>& rows, EmuTime resolution,
              CounterTable& table);
  void take(const UsageSample& sample);
  void finish();

 private:
  struct Node {
    EmuTime at;  ///< of the last sample
    std::int64_t millicores = 0, bytes = 0;
    std::vector<EmuTime> losses;  ///< to come, the next one last
  };
  void set(NodeId id, Counter counter, EmuTime at, std::int64_t& now, std::int64_t value);
  void lose(NodeId id, EmuTime until);

  EmuTime resolution_;
  CounterTable& table_;
  std::vector<Node> nodes_;
};

/// Allocated, running, from outside, jobs: all but what samples say. `history.summary` has the
/// jobs.
void count_history(const RunHistory& history, CounterTable& table);

}  // namespace heddle::report
