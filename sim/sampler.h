#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/worker_model.h"

namespace heddle::sim {

/// Chooses the heartbeats for which a sample is written, and computes the cores that nodes used
/// between samples.
class Sampler {
 public:
  /// If `thin`, two samples of a node are apart by at least a five-hundredth of the time so far,
  /// and by more after a sample with many containers. Charts show at most half as many values
  /// (report/page/series.h).
  Sampler(std::size_t nodes, bool thin);

  /// Counts a heartbeat of the node, and returns whether a sample of this heartbeat must be
  /// written.
  bool takes(EmuTime now, NodeId node);
  /// Returns the mean number of cores that the node has used since its last sample.
  double cores(EmuTime now, const WorkerModel::Beat& beat);

 private:
  struct Node {
    std::int64_t beats = 0;  ///< number of heartbeats received
    CoreTime cpu;            ///< at the last sample
    EmuTime at;
    std::int64_t lines = 1;  ///< for how many lines the last sample counts
  };
  std::vector<Node> nodes_;
  bool thin_;
  std::int64_t every_;  ///< number of heartbeats of a node per sample
};

}  // namespace heddle::sim
