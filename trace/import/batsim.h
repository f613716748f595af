#pragma once

#include "trace/import/formats.h"

namespace heddle::trace {

/// Returns a scenario with the jobs of a Batsim workload (JSON; docs/how-to/traces.md). Each job is
/// rigid: a gang of `res` tasks, each on a host of its own. A `delay` profile becomes a sleep, and
/// `parallel_homogeneous` becomes CPU work of cpu / flops seconds. Other profiles are refused. Jobs
/// are in the order in which Batsim submits them: by (subtime, id as text)
/// (job_comparator_subtime_number, batsim/src/jobs.cpp).
///
/// The simulation of the scenario is ideal, and decisions are immediate, so that virtual time shows
/// the decisions of the scheduler and nothing else.
Imported import_batsim(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                       ImportReport& report);
bool is_batsim(std::string_view head);

}  // namespace heddle::trace
