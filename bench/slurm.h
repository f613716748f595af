#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "common/units.h"

namespace heddle::bench {

/// Runs job arrays on a Slurm cluster. Each job is heddle-task without its page (the shared memory
/// with its order), so the job ends at once. The rate can be compared with other rates only if the
/// nodes of the cluster are on this machine.
class SlurmArrays {
 public:
  /// Finds Slurm in `path`, the value of PATH. Errors (kMachine): Slurm is not installed, or its
  /// controller does not answer.
  static Result<SlurmArrays> find(const std::string& path, const std::string& task_program);

  /// Submits one array of `count` jobs, of which `at_once` run at a time. Returns the time until
  /// this process knows that all jobs have ended. Errors: Slurm refuses the array, a job ends with
  /// an unexpected status, no job ends for a long time, or the user interrupts (`stop`). After an
  /// error, the array is canceled.
  Result<real::Duration> run(int count, int at_once, const std::function<bool()>& stop) const;

 private:
  SlurmArrays(std::string directory, std::string task_program)
      : directory_(std::move(directory)), task_program_(std::move(task_program)) {}
  Result<void> await(const std::string& job, int count, const std::function<bool()>& stop) const;

  std::string directory_;  ///< directory of Slurm's programs, ends with "/"
  std::string task_program_;
};

/// Returns the arguments of sbatch.
std::vector<std::string> array_words(const std::string& task_program, int count, int at_once);
/// Returns the job that `sbatch --parsable` reports as submitted. Error: the output does not name a
/// job.
Result<std::string> submitted_job(std::string_view output);
/// Returns the arguments with which squeue prints one line per job of the array: state and exit
/// status.
std::vector<std::string> array_states_words(const std::string& job);
/// Returns how many jobs have not ended according to these lines. Error: a job has an exit status
/// that is not the one of heddle-task without its page.
Result<int> not_ended(std::string_view lines);
/// Returns the time to the next poll: half of the time that the remaining jobs are expected to
/// take, but at least 20 ms and at most 500 ms.
real::Duration until_next_look(real::Duration elapsed, int count, int left);

}  // namespace heddle::bench
