#pragma once

#include "core/scenario/scenario.h"
#include "core/scenario/workload.h"

namespace heddle {

/// Submission times of the copies of one job in the scenario.
struct Arrivals {
  EmuTime start;
  EmuTime every;    ///< 0: not given
  EmuTime poisson;  ///< 0: not given
};

/// A job, or several equal jobs, as the scenario has them.
struct WrittenJob {
  JobSpec job;
  WorkloadSizes sizes;
  int count = 0;  ///< 0: not given
  bool gang = false;
  Where where;
};

/// Where the table of jobs is.
struct WrittenTable {
  std::int64_t jobs = 0;  ///< number of jobs in it
};

}  // namespace heddle
