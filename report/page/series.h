#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "report/history.h"
#include "wire/fields.h"

namespace heddle::report {

/// Number of spans into which a series divides the time of a run. Each span has at most four
/// points.
inline constexpr int kClusterSpans = 250, kNodeSpans = 100;
/// Maximum number of nodes that have charts of their own. These are the first nodes of the
/// scenario. The charts of the cluster cover all nodes.
inline constexpr std::size_t kNodesShown = 100;

/// Thins a series for a chart. The time up to `end` is divided into `spans` equal parts, and the
/// first, the smallest, the largest and the last point of each part are kept. Therefore no peak is
/// lost, and the level at the beginning of each part is right. Points must be added in the order of
/// time.
class SeriesThinner {
 public:
  SeriesThinner(EmuTime end, int spans);
  void add(EmuTime at, double value);
  bool empty() const { return count_ == 0; }
  /// Returns {t: [seconds, to the millisecond…], v: [values…]}.
  wire::Json json() const;

 private:
  struct Point {
    std::int64_t order = -1;
    EmuTime at;
    double value = 0;
  };
  struct Part {
    Point first, least, greatest, last;
  };
  EmuTime end_;
  std::int64_t count_ = 0;
  std::vector<std::optional<Part>> parts_;
};

/// Returns seconds for a page, rounded to the millisecond.
double page_seconds(EmuTime time);

/// Cores and bytes of memory over time.
struct ResourceSeries {
  SeriesThinner cores, memory;
  ResourceSeries(EmuTime end, int spans) : cores(end, spans), memory(end, spans) {}
  void add(EmuTime at, double core_count, double bytes);
  wire::Json json() const { return {{"cores", cores.json()}, {"memory", memory.json()}}; }
};

/// Series of the cluster and of each shown node.
struct ClusterSeries {
  ResourceSeries cluster;
  std::vector<ResourceSeries> nodes;
  ClusterSeries(EmuTime end, std::size_t node_count);
  /// Returns {cluster: {cores, memory}, nodes: [{cores, memory}…]}. Each value is a series, or null
  /// if the series has no points.
  wire::Json json() const;
};

/// Returns what containers hold over time. A container holds its memory from the decision to its
/// end, and its cores in the same time except while it is suspended. The summary's `allocation` is
/// computed in the same way.
ClusterSeries allocated_series(const RunHistory& history);

/// Builds the series of measured use, sample by sample. The cluster's use is the sum of the nodes'
/// newest samples. A lost node uses nothing until its next sample.
class UsedSeries {
 public:
  explicit UsedSeries(const RunHistory& history);
  void take(const UsageSample& sample);
  wire::Json json() const { return series_.json(); }

 private:
  void put(NodeId node, EmuTime at, double cores, double bytes);

  ClusterSeries series_;
  std::vector<std::pair<double, double>> now_;      ///< cores and bytes, by node
  double cores_ = 0, bytes_ = 0;                    ///< sums over all nodes
  std::vector<std::pair<EmuTime, NodeId>> losses_;  ///< future losses, the next one last
};

}  // namespace heddle::report
