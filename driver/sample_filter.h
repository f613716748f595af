#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/event.h"

namespace heddle::driver {

/// A measurement of a node by its worker, at a heartbeat.
struct Sample {
  EmuTime at;
  NodeHeartbeat heartbeat;
  double cores = 0;  ///< used by the node on average since the previous heartbeat
  EmuBytes memory;   ///< used by the node now
};

/// Chooses the samples of a run that are written. A sample is left out while it continues the last
/// two lines of its node: the memory and the set of containers are those of the last line, and the
/// cores and each container's CPU time, progress and bytes lie on the straight line through both.
/// When that ends, the last sample that was left out is written first. So whoever interpolates
/// between the lines of a node gets what was left out: CPU time to a millisecond of a core,
/// progress to a hundred-thousandth.
///
/// The functions return the text of the lines, which ends with a line break if it is not empty. The
/// lines of a node are in the order of time. Between nodes, a line can be late by a heartbeat.
class SampleFilter {
 public:
  /// If `silence` is set, a sample is also written if all lines are older than `silence`.
  explicit SampleFilter(std::size_t nodes, std::optional<EmuTime> silence);

  std::string take(Sample sample);
  /// Returns what was left out before the container ended.
  std::string end(ContainerId container);
  /// Returns what was left out before the node was lost or the run ended, unless the node is idle.
  std::string end(NodeId node);

 private:
  struct Node {
    std::vector<Sample> lines;    ///< the last two, the newest one last
    std::optional<Sample> later;  ///< the last one that was left out
  };
  Node& node_of(NodeId id) { return nodes_[static_cast<std::size_t>(id.value)]; }
  std::string flush(Node& node);
  std::string write(Node& node, Sample sample);

  std::vector<Node> nodes_;
  std::optional<EmuTime> silence_;
  EmuTime newest_;                                      ///< time of the newest line
  std::unordered_map<ContainerId, NodeId> containers_;  ///< those of the last lines
};

}  // namespace heddle::driver
