#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/scenario.h"
#include "tests/support/cluster.h"

namespace heddle {

/// Returns a map phase of `tasks` tasks that sleep for `sleep_s` emulated seconds each.
PhaseSpec phase_of(const std::string& name, int tasks, const Resources& request = size_of(1, 1),
                   double sleep_s = 0);
/// Returns a phase of another kind. `after` has the indices of phases of the same job.
PhaseSpec phase_of(const std::string& name, PhaseKind kind, int tasks,
                   const Resources& request = size_of(1, 1), std::vector<int> after = {});
JobSpec job_of(const std::string& name, std::vector<PhaseSpec> phases, double submit_s = 0);
/// Returns a job with one phase "map": `tasks` tasks of `cores` cores and `gib` GiB that take
/// `seconds`.
JobSpec job_of(const std::string& name, double submit_s, int tasks, double cores, double gib,
               double seconds);
/// Returns the job, moved to a queue.
JobSpec in_queue(const char* name, JobSpec job);
/// Adds a phase "reduce" after the last phase.
void add_reduces(JobSpec& job, int tasks, double cores, double gib, double seconds);
/// Adds an application master of that size before the phases.
void add_master(JobSpec& job, double cores, double gib);

/// Returns a fault that begins at `at_s`. Without `lasts_s`, the fault lasts until the end.
FaultSpec fault_of(FaultKind kind, std::vector<NodeId> nodes, double at_s,
                   std::optional<double> lasts_s = {});

}  // namespace heddle
