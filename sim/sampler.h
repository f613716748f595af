#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/agenda.h"
#include "sim/worker_model.h"

namespace heddle::sim {

/// Chooses the heartbeats for which a sample is written, and computes the cores that nodes used
/// between samples.
class Sampler {
 public:
  /// If `thin`, two samples of a node are apart by at least a five-hundredth of the time so far,
  /// and by more after a sample with many containers or with very many nodes. Charts show at most
  /// half as many values (report/page/series.h).
  Sampler(std::size_t nodes, bool thin, EmuTime period);

  /// Returns whether a sample of the node's heartbeat that was sent at `made` must be written.
  bool takes(NodeId node, EmuTime made);
  /// Takes in the sample of a heartbeat that arrives at `now`. Returns the mean number of cores
  /// that the node has used since its last sample.
  double take(EmuTime now, EmuTime made, const WorkerModel::Beat& beat);
  /// Returns when the first heartbeat is sent of which a sample must be written.
  EmuTime next_time() const { return due_.next_time(); }
  bool thins() const { return thin_; }

 private:
  struct Node {
    bool seen = false;  ///< whether it has sent a heartbeat
    CoreTime cpu;       ///< at the last sample
    EmuTime at;
  };
  std::int64_t distance(EmuTime made, std::int64_t containers) const;

  std::vector<Node> nodes_;
  Agenda due_;  ///< for each node, when the heartbeat of its next sample is sent
  bool thin_;
  EmuTime period_;
  std::int64_t every_;  ///< number of heartbeats of a node per sample
};

}  // namespace heddle::sim
