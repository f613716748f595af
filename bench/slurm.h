#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "common/units.h"

namespace heddle::bench {

/// Arrays of jobs on a Slurm cluster, each job heddle-task, which ends at once without its page.
/// The cluster's nodes have to be on this machine for its rate to be beside others.
class SlurmArrays {
 public:
  /// `path`: PATH. Errors (kMachine): it is not installed, its controller does not answer.
  static Result<SlurmArrays> find(const std::string& path, const std::string& task_program);

  /// Submits one array of `count` jobs, `at_once` under way at a time, and returns how long it took
  /// until all were known to have ended. Errors: refused, a job ended otherwise, none ends for a
  /// long time, the user wants out (`stop`); the array is then cancelled.
  Result<real::Duration> run(int count, int at_once, const std::function<bool()>& stop) const;

 private:
  SlurmArrays(std::string directory, std::string task_program)
      : directory_(std::move(directory)), task_program_(std::move(task_program)) {}
  Result<void> await(const std::string& job, int count, const std::function<bool()>& stop) const;

  std::string directory_;  ///< of its programs, with a "/"
  std::string task_program_;
};

/// What sbatch is told.
std::vector<std::string> array_words(const std::string& task_program, int count, int at_once);
/// The job that `sbatch --parsable` says it has submitted. Error: it says something else.
Result<std::string> submitted_job(std::string_view output);
/// What squeue is told to show of a job: a line of state and exit status for each of its array.
std::vector<std::string> array_states_words(const std::string& job);
/// How many have not ended by such lines. Error: one has ended otherwise than heddle-task does.
Result<int> not_ended(std::string_view lines);
/// When to look again: after half of what the rest should take, but for 20 ms to 0.5 s.
real::Duration until_next_look(real::Duration elapsed, int count, int left);

}  // namespace heddle::bench
