#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/history.h"
#include "report/state_series.h"
#include "wire/fields.h"

namespace heddle::report {

/// Number of spans into which a series divides the time of a run.
inline constexpr int kClusterSpans = 250, kNodeSpans = 100;
/// A series that becomes a band if it has too many points to be a readable line. The time up to
/// `end` is divided into `spans` equal parts. Points must be added in the order of time.
class BandSeries {
 public:
  /// The time for which a value holds: until the next point, or since the previous one.
  enum class Holds { kAfter, kBefore };
  BandSeries(EmuTime end, int spans, Holds holds);
  void add(EmuTime at, double value);
  bool empty() const { return count_ == 0; }
  /// With at most two points for each part, returns all points as {t: [seconds, to the
  /// millisecond…], v: [values…]}. Otherwise returns {t, mean, low, high}: for the middle of each
  /// part, the mean over time, the smallest and the greatest value that held for some time. Parts
  /// without any value are left out.
  wire::Json json() const;

 private:
  struct Part {
    double held_us = 0, sum = 0, low = 0, high = 0;
  };
  /// Returns the beginning of a part.
  std::int64_t edge(std::size_t part) const;
  void hold(std::vector<Part>& parts, EmuTime from, EmuTime until, double value) const;
  std::size_t most() const { return 2 * parts_.size(); }

  EmuTime end_;
  Holds holds_;
  std::size_t count_ = 0;
  std::vector<std::pair<EmuTime, double>> points_;  ///< the first points, at most most()
  std::pair<EmuTime, double> last_;
  std::vector<Part> parts_;
};

/// An amount of each resource over time: cores, bytes of memory, and those that the cluster counts.
class ResourceSeries {
 public:
  /// `counted`: the resources of the cluster that are shown beside cores and memory.
  ResourceSeries(EmuTime end, int spans, BandSeries::Holds holds, const CountNames& counted);
  bool empty() const { return series_.front().second.empty(); }
  void add(EmuTime at, double cores, double bytes, const Counts& counts = {});
  /// Returns {cores, memory, …}.
  wire::Json json() const;

 private:
  std::vector<std::pair<std::string, BandSeries>> series_;  ///< with their names
};

/// Series of the cluster and of each shown node.
struct ClusterSeries {
  ResourceSeries cluster;
  std::vector<ResourceSeries> nodes;
  ClusterSeries(EmuTime end, std::size_t node_count, BandSeries::Holds holds,
                const CountNames& counted);
  /// Returns {cluster: {cores, memory, …}, nodes: [{cores, memory, …}…]}. Each value is a series,
  /// or null if the series has no points.
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
  EmuTime newest_;                                  ///< time of the newest point of the cluster
  std::vector<std::pair<EmuTime, NodeId>> losses_;  ///< future losses, the next one last
};

}  // namespace heddle::report
