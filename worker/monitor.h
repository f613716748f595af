#pragma once

#include <map>
#include <optional>
#include <vector>

#include "cgroup/tree.h"
#include "common/scale.h"
#include "wire/messages.h"
#include "worker/fill_report.h"

namespace heddle::worker {

/// Values that were read of a container at one time.
struct Sample {
  cgroup::ContainerStats stats;
  double progress = 0;
};

/// Turns samples of the running containers into emulated usage: the list in a heartbeat, and at the
/// end the peak and the integral of memory over time. Takes no samples itself.
class Monitor {
 public:
  /// Samples that are less than `settled` from the start or the end of a container do not count for
  /// MemoryFidelity::samples. Otherwise a heartbeat that happens to coincide with the start or the
  /// end would weigh as much as a whole period. How late the first memory came is in lag_ms.
  explicit Monitor(const Scale& scale, real::Duration settled = {})
      : scale_(scale), settled_(settled) {}

  /// The memory that a task is to use, and its request. Real bytes of the profile are those of the
  /// container's charge.
  struct Profile {
    std::vector<MemoryPoint> points;
    EmuBytes request;
  };
  void add(ContainerId container, real::Time now, Profile profile = {});
  void remove(ContainerId container) { tracks_.erase(container); }
  /// Records the use of memory between the samples of heartbeats. REQUIRES: added.
  void note(ContainerId container, const cgroup::MemoryUse& use);
  /// Returns the largest use of memory that was recorded. REQUIRES: added.
  real::Bytes largest(ContainerId container) const { return tracks_.at(container).largest; }
  /// REQUIRES: added.
  void record(ContainerId container, const Sample& sample, real::Time now);
  /// Returns the usage of every container added and not removed, by id, as of its last sample.
  std::vector<ContainerUse> uses() const;

  /// Returns the container's memory as of its last sample. REQUIRES: added.
  real::Bytes held(ContainerId container) const { return tracks_.at(container).last.stats.memory; }

  /// Returns cpu, peak_memory, memory_byte_seconds and memory of a container that has just ended.
  /// `last` is read after the end: its CPU and peak count, but its memory is gone. Between the last
  /// sample and the end, the memory of that sample counts; if there is no sample, the peak counts.
  /// `filled`: what filling the memory of a container with a profile took. `limit`: the limit, if
  /// the peak is to be the limit (PeakEvidence).
  AttemptUsage finish(ContainerId container, const cgroup::ContainerStats& last, real::Time now,
                      const FillReport& filled = {}, std::optional<real::Bytes> limit = {}) const;

 private:
  struct Track {
    Sample last = {};
    bool sampled = false;  ///< by a heartbeat
    bool noted = false;    ///< between heartbeats
    real::Time began = {};
    real::Time at;  ///< time of the last sample, or of the start
    real::Bytes kernel_peak = {};
    real::Bytes largest = {};  ///< largest use, without page cache
    real::Bytes cache = {};    ///< largest page cache
    double byte_ns = 0;        ///< integral of real bytes over real time up to `at`
    Profile profile = {};
    std::map<int, int> errors = {};      ///< MemoryFidelity::samples
    std::optional<int> last_error = {};  ///< of the last sample; not in `errors` yet
  };
  Scale scale_;
  real::Duration settled_;
  std::map<ContainerId, Track> tracks_;
};

}  // namespace heddle::worker
