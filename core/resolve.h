#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "common/result.h"
#include "common/units.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Resources of this machine that this process can use. `cpus` is the smallest CPU quota or cpuset
/// of the control groups above the process. `memory` is the smallest of the memory limits of these
/// groups and MemAvailable. `scratch` is the free space in the directory where workers keep the
/// data that tasks hand over. `fill_rate` is the number of bytes of new memory that one CPU fills
/// in a second, or 0 if nobody has measured it.
struct HostResources {
  real::Cpus cpus;
  real::Bytes memory;
  real::Bytes scratch{std::numeric_limits<std::int64_t>::max()};
  double fill_rate = 0;
};

/// Returns the scenario with its `auto` factors replaced by numbers, and checks the factors that
/// are given. `auto` becomes 1 for time_scale. For the other factors it becomes the largest value
/// that fits `room` minus the control reserve, rounded down to three significant digits. Errors
/// (kUsage) name what does not fit, with the numbers and a proposal, or a memory that is too small
/// to be emulated. Warnings name what can't be emulated faithfully. The function is pure. If a
/// resolved scenario is resolved again with the same `room`, it does not change.
Result<CheckedScenario> resolve(const Scenario& scenario, const HostResources& room);

/// Resolves a scenario for machines that are not known yet. The master checks the resources of a
/// machine when its worker registers (master/host_assignment.h). Therefore core_fraction and
/// memory_scale must be given. Errors (kUsage): one of the two is `auto`, or the scenario can't run
/// on any machine.
Result<CheckedScenario> resolve_stated(const Scenario& scenario);

/// Resolves a scenario for virtual time. Nothing has to fit a machine there, so `auto` becomes 1.
Scenario resolve_simulated(Scenario resolved);

/// Returns a warning for each phase of commands that does not state cpu or sleep. In a simulation,
/// such a phase takes no time.
std::vector<std::string> unknown_work(const Scenario& scenario);

/// How many containers the nodes of a scenario can hold at once.
class ContainerBounds {
 public:
  explicit ContainerBounds(const Scenario& scenario);

  /// Returns the maximum for a node. This is the number of containers of the smallest request that
  /// fit into the node's allowance, but at most the number of containers of all jobs. If the policy
  /// can shrink maps, half of a map's request counts.
  std::int64_t containers(const NodeSpec& node) const;
  /// Returns how many times a node's memory limit includes the `overhead` of a container: once for
  /// each container that the node can hold, and once more if the node ever has an external_load.
  std::int64_t overheads(const NodeSpec& node) const;

 private:
  Resources least_;               ///< the smallest request, separately for each resource
  std::int64_t all_;              ///< containers of all jobs
  std::set<std::string> loaded_;  ///< names of the nodes with an external_load
};

}  // namespace heddle
