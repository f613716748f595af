#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/worker_model.h"

namespace heddle::sim {

/// Chooses the heartbeats for which a sample is written, and computes what nodes used between
/// samples.
class Sampler {
 public:
  explicit Sampler(std::size_t nodes);

  /// Returns whether a sample of this heartbeat is written. Call it once per heartbeat.
  bool takes(NodeId node);
  /// Returns the cores that the node has used on average since its last sample.
  double cores(EmuTime now, const WorkerModel::Beat& beat);

 private:
  struct Node {
    std::int64_t beats = 0;  ///< heard
    CoreTime cpu;            ///< at the last sample
    EmuTime at;
  };
  std::vector<Node> nodes_;
  std::int64_t every_;  ///< heartbeats of a node per sample
};

}  // namespace heddle::sim
