#pragma once

#include <cstdint>
#include <limits>

#include "common/result.h"
#include "common/units.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// What this process may use of its machine: the smallest over its ancestor groups of CPU quota and
/// cpuset, and of memory limits and MemAvailable; what is free where workers keep what tasks hand
/// over.
struct HostResources {
  real::Cpus cpus;
  real::Bytes memory;
  real::Bytes scratch{std::numeric_limits<std::int64_t>::max()};
};

/// Fills in the `auto` factors with the largest that fit `room` less the control reserve (three
/// significant digits), and checks the given ones. Errors (kUsage): what doesn't fit, with the
/// numbers and a proposal; memory too small to be emulated. Warnings: what can't be emulated
/// faithfully. Pure. Resolving a resolved scenario again in the same room changes nothing.
Result<CheckedScenario> resolve(const Scenario& scenario, const HostResources& room);

/// The same for machines that nobody knows beforehand: what their workers have is looked at when
/// they come (master/host_assignment.h), so nothing may be left to what fits. Errors (kUsage):
/// factors that are, and what is wrong on whichever machine.
Result<CheckedScenario> resolve_stated(const Scenario& scenario);

/// The same for virtual time, where nothing need fit a machine: `auto` is 1.
Scenario resolve_simulated(const Scenario& scenario);

/// A warning for each phase of commands of which a simulation knows nothing, so that it takes no
/// time in it.
std::vector<std::string> unknown_work(const Scenario& scenario);

/// The most containers that a node can hold at once, by its allowance and the smallest requests,
/// halved where maps may be made smaller.
std::int64_t most_containers(const Scenario& scenario, const NodeSpec& node);
/// The overheads that a node's memory limit has room for: those of its containers, and one for a
/// program outside of them if there ever is one (external_load).
std::int64_t most_overheads(const Scenario& scenario, const NodeSpec& node);

}  // namespace heddle
