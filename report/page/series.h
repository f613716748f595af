#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "report/history.h"
#include "wire/fields.h"

namespace heddle::report {

/// Spans that the time of a run is divided into for a series; each leaves at most four points.
inline constexpr int kClusterSpans = 250, kNodeSpans = 100;
/// Nodes, the scenario's first ones, that have charts of their own; the cluster's have all.
inline constexpr std::size_t kNodesShown = 100;

/// Thins a series for a chart: of each of `spans` equal parts of the time up to `end`, the first,
/// the least, the greatest and the last point stay, so that no peak is lost and no level is wrong
/// where a part begins. Points are to come in the order of time.
class SeriesThinner {
 public:
  SeriesThinner(EmuTime end, int spans);
  void add(EmuTime at, double value);
  bool empty() const { return count_ == 0; }
  /// {t: [seconds, to the millisecond…], v: [values…]}
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

/// Seconds for a page: to the millisecond.
double page_seconds(EmuTime time);

/// Cores and bytes of memory over time.
struct ResourceSeries {
  SeriesThinner cores, memory;
  ResourceSeries(EmuTime end, int spans) : cores(end, spans), memory(end, spans) {}
  void add(EmuTime at, double core_count, double bytes);
  wire::Json json() const { return {{"cores", cores.json()}, {"memory", memory.json()}}; }
};

/// Of the cluster and each of the nodes shown.
struct ClusterSeries {
  ResourceSeries cluster;
  std::vector<ResourceSeries> nodes;
  ClusterSeries(EmuTime end, std::size_t node_count);
  /// {cluster: {cores, memory}, nodes: [{cores, memory}…]}, each a series; null if there is none.
  wire::Json json() const;
};

/// What containers hold: memory from the decision to their end, cores while not suspended. As the
/// summary's `allocation`.
ClusterSeries allocated_series(const RunHistory& history);

/// What workers measured, sample by sample; the cluster's use is the sum of the nodes' newest. A
/// node that is lost uses nothing until it is heard of again.
class UsedSeries {
 public:
  explicit UsedSeries(const RunHistory& history);
  void take(const UsageSample& sample);
  wire::Json json() const { return series_.json(); }

 private:
  void put(NodeId node, EmuTime at, double cores, double bytes);

  ClusterSeries series_;
  std::vector<std::pair<double, double>> now_;      ///< cores and bytes, by node
  double cores_ = 0, bytes_ = 0;                    ///< of all of them
  std::vector<std::pair<EmuTime, NodeId>> losses_;  ///< to come, the last one first
};

}  // namespace heddle::report
