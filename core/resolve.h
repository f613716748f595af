#pragma once

#include <cstdint>
#include <limits>

#include "common/result.h"
#include "common/units.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// Resources of this machine that this process may use. `cpus` is the smallest CPU quota or cpuset
/// of its ancestor groups, `memory` the smallest of their memory limits and MemAvailable. `scratch`
/// is the free space where workers keep the data that tasks hand over.
struct HostResources {
  real::Cpus cpus;
  real::Bytes memory;
  real::Bytes scratch{std::numeric_limits<std::int64_t>::max()};
};

/// Fills in the `auto` factors with the largest values that fit `room` minus the control reserve,
/// rounded down to three significant digits (time_scale: 1), and checks the given factors. Errors
/// (kUsage): what doesn't fit, with the numbers and a proposal; memory too small to be emulated.
/// Warnings: what can't be emulated faithfully. Pure. Resolving a resolved scenario again in the
/// same room changes nothing.
Result<CheckedScenario> resolve(const Scenario& scenario, const HostResources& room);

/// Does the same for machines that are not known beforehand. The resources of their workers are
/// checked when they register (master/host_assignment.h), so core_fraction and memory_scale must be
/// given. Errors (kUsage): one of them is `auto`, or the scenario is wrong on every machine.
Result<CheckedScenario> resolve_stated(const Scenario& scenario);

/// Does the same for virtual time, where nothing has to fit a machine: `auto` becomes 1.
Scenario resolve_simulated(const Scenario& scenario);

/// Returns a warning for each command phase that states neither cpu nor sleep. In a simulation such
/// a phase takes no time.
std::vector<std::string> unknown_work(const Scenario& scenario);

/// Returns the maximum number of containers that a node can hold at once: as many of the smallest
/// requests as its allowance holds, at most the number of all containers. Requests of maps are
/// halved if maps may be made smaller.
std::int64_t most_containers(const Scenario& scenario, const NodeSpec& node);
/// Returns the number of overheads that a node's memory limit has room for: one for each container,
/// and one for a program outside of containers if there ever is one (external_load).
std::int64_t most_overheads(const Scenario& scenario, const NodeSpec& node);

}  // namespace heddle
