#pragma once

#include <compare>
#include <map>
#include <optional>

#include "report/history.h"

namespace heddle::report {

/// Share of a node's memory above which the node counts as nearly full.
inline constexpr double kNearlyFull = 0.9;

/// A task of a run, by its place in the scenario.
struct TaskPlace {
  PhaseId phase;
  int task = 0;
  friend auto operator<=>(const TaskPlace&, const TaskPlace&) = default;
};

/// Collects the memory of a run that is compared with a simulation. `scenario` must outlive the
/// object.
class RunMemory {
 public:
  explicit RunMemory(const Scenario& scenario) : scenario_(scenario) {}

  /// Takes in an attempt. Only completed attempts count. If several attempts of a task completed,
  /// the last one counts.
  void add(const AttemptRow& attempt);
  /// Takes in a sample. REQUIRES: the samples of each node are in the order of time.
  void add(const UsageSample& sample);

  /// Returns the highest charge of each task that completed, in emulated bytes.
  const std::map<TaskPlace, EmuBytes>& peaks() const { return peaks_; }
  /// Returns the emulated time in which the charge of a node was above kNearlyFull of its memory,
  /// summed over the nodes. A sample holds until the next sample of its node. Returns nullopt if
  /// there are no samples.
  std::optional<EmuTime> nearly_full() const;

 private:
  struct Last {
    EmuTime at;
    bool full = false;
  };
  const Scenario& scenario_;
  std::map<TaskPlace, EmuBytes> peaks_;
  std::map<NodeId, Last> last_;  ///< last sample of each node
  EmuTime nearly_full_;
};

/// Adds to an agreement (report/agreement/agreement.h) how well the simulation predicts memory:
/// `peak_memory_error` {median, p99, tasks} is over the tasks that completed in both runs,
/// |predicted peak - measured peak| as a share of the request. `nearly_full_s` {predicted,
/// measured} is RunMemory::nearly_full in seconds. A value is null if it is not known.
void add_memory(wire::Json& agreement, const Scenario& scenario, const RunMemory& predicted,
                const RunMemory& measured);

}  // namespace heddle::report
