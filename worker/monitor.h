#pragma once

#include <map>
#include <vector>

#include "cgroup/tree.h"
#include "common/scale.h"
#include "wire/messages.h"

namespace heddle::worker {

/// What was read of one container at one moment.
struct Sample {
  cgroup::ContainerStats stats;
  double progress = 0;
};

/// Turns samples of the running containers into emulated use: the list of a heartbeat, and at the
/// end the peak and the integral of memory over time. Takes no sample itself.
class Monitor {
 public:
  explicit Monitor(const Scale& scale) : scale_(scale) {}

  void add(ContainerId container, real::Time now);
  void remove(ContainerId container) { tracks_.erase(container); }
  /// REQUIRES: added.
  void record(ContainerId container, const Sample& sample, real::Time now);
  /// Every container added and not removed, by id, as of its last sample.
  std::vector<ContainerUse> uses() const;

  /// As of its last sample. REQUIRES: added.
  real::Bytes held(ContainerId container) const { return tracks_.at(container).last.stats.memory; }

  /// cpu, peak_memory and memory_byte_seconds of a container that has just ended. `last` is read
  /// after its end: its CPU and peak count, its memory is gone. From the last sample to the end the
  /// memory of that sample counts; without any sample, the peak.
  AttemptUsage finish(ContainerId container, const cgroup::ContainerStats& last,
                      real::Time now) const;

 private:
  struct Track {
    Sample last = {};
    bool sampled = false;
    real::Time at;  ///< of the last sample, or of the start
    real::Bytes peak = {};
    double byte_ns = 0;  ///< integral of real bytes over real time up to `at`
  };
  Scale scale_;
  std::map<ContainerId, Track> tracks_;
};

}  // namespace heddle::worker
