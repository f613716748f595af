#pragma once

#include <cstdint>
#include <vector>

#include "common/units.h"

namespace heddle::bench {

/// A job that holds a number of processors until it ends.
struct PlainJob {
  EmuTime submit;
  EmuTime run;    ///< for how long it holds them
  EmuTime limit;  ///< walltime, at least `run`
  std::int64_t processors = 1;
};

// Schedulers without anything but the rule: a measure for the cost of a simulation. They return the
// start of each job. REQUIRES: the jobs are in the order of their submission, and none needs more
// processors than there are.

/// Starts jobs in their order, each as soon as it fits.
std::vector<EmuTime> plain_fcfs(const std::vector<PlainJob>& jobs, std::int64_t processors);
/// EASY backfilling (Lifka 1995): a job that fits starts before the first one in the queue if it
/// does not delay this one, as far as walltimes tell.
std::vector<EmuTime> plain_easy(const std::vector<PlainJob>& jobs, std::int64_t processors);

}  // namespace heddle::bench
