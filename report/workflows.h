#pragma once

#include <vector>

#include "report/job_outcome.h"
#include "wire/fields.h"

namespace heddle::report {

/// Returns the list `workflows` of a summary: jobs with the same JobSpec::workflow, in the order of
/// their first jobs. Returns a discarded value if there are none. `outcomes`: of all jobs.
///
/// makespan_s is the time from the first submission to the end of the last job. critical_path_s is
/// the longest chain of jobs that wait for each other, with the run times and delays that they had:
/// no schedule of these runs is shorter. slowdown is the quotient of both. All three are null until
/// all jobs have completed.
wire::Json workflows_json(const std::vector<JobSpec>& jobs,
                          const std::vector<JobOutcome>& outcomes);

}  // namespace heddle::report
