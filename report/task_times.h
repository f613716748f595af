#pragma once

#include <cstdint>
#include <vector>

#include "core/model/event.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// A transfer of a run. Times are emulated.
struct Transferred {
  NodeId node;  ///< node of the container for which data was read or written
  EmuTime begun;
  TransferTime time;
};

/// Returns when each transfer would have ended if all of them had begun as measured and had shared
/// disks and networks as in the simulation (sim/data_model.h). A transfer that was cancelled uses
/// disks and networks at most until then. Pure.
std::vector<EmuTime> ideal_ends(const std::vector<NodeSpec>& nodes,
                                const std::vector<Transferred>& transfers);

/// Collects how exact the work and the transfers of tasks were that wait or move data. `scenario`
/// must outlive the object.
class TaskTimes {
 public:
  explicit TaskTimes(const Scenario& scenario) : scenario_(scenario) {}

  /// Takes in an attempt that ran on `node` and started at `started`. `compare`: its times count.
  /// Otherwise its transfers only use disks and networks.
  void add(NodeId node, EmuTime started, const ContainerEnded& event, bool compare);
  /// Notes that the times of some transfers are not known, so that none can be judged.
  void lose_transfers() { lost_ = true; }

  /// Returns `fidelity.work` of the summary: {median_error, p99_error, parts}, or null.
  wire::Json work_json() const;
  /// Returns `fidelity.transfers` of the summary: {median_error, p99_error, transfers}, or null.
  wire::Json transfers_json() const;

 private:
  const Scenario& scenario_;
  std::vector<double> work_errors_;  ///< |took / ideal - 1|
  std::vector<Transferred> transfers_;
  std::vector<bool> compared_;  ///< whether the transfer counts
  bool lost_ = false;
};

}  // namespace heddle::report
