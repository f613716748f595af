#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

/// The options of `--on slurm:OPTION,…`.
struct SlurmOptions {
  /// Passed to sbatch as --partition and so on.
  std::string partition, account, qos, time, memory;
  std::size_t max = 0;            ///< tasks that run at the same time; 0: no limit
  std::size_t per_task = 0;       ///< cells of a task; 0: chosen by the time that a cell takes
  std::size_t retries = 1;        ///< how often failed cells are submitted again
  std::optional<bool> exclusive;  ///< whole nodes; nullopt: for real runs only
  friend bool operator==(const SlurmOptions&, const SlurmOptions&) = default;
};
/// Parses "partition=all,retries=2". Errors (kUsage) name the option and the nearest known one.
Result<SlurmOptions> parse_slurm(std::string_view text);

/// The limits of a Slurm cluster.
struct SlurmLimits {
  std::size_t array = 1001;    ///< MaxArraySize: the largest index of a task is below it
  std::size_t submit = 10000;  ///< tasks that may be in the queue at the same time
  std::size_t cpus = 1;        ///< CPUs of the nodes that jobs may use
  friend bool operator==(const SlurmLimits&, const SlurmLimits&) = default;
};
/// Takes MaxArraySize and MaxJobCount from the output of `scontrol show config`.
void take_config(std::string_view text, SlurmLimits& limits);
/// Takes MaxSubmitJobs from the output of `sacctmgr -nP show assoc format=MaxSubmitJobs`, one line
/// per association. Without a number, changes nothing.
void take_submit_limit(std::string_view text, SlurmLimits& limits);
/// Takes the number of CPUs from the output of `sinfo -h -o %C`, such as "0/8/0/8": allocated,
/// idle, other, total. Several lines are added up.
void take_cpus(std::string_view text, SlurmLimits& limits);

/// Returns how many cells a task makes. A task should take about a minute, because starting it
/// costs about a second. There should be at least four tasks for each CPU, so that no CPU is idle
/// for long at the end. Not more than `most_tasks` tasks are made.
std::size_t cells_per_task(std::size_t cells, double seconds_per_cell, std::size_t cpus,
                           std::size_t most_tasks);
/// Cuts the cells into tasks of `per_task` cells.
std::vector<std::vector<std::size_t>> tasks_of(const std::vector<std::size_t>& cells,
                                               std::size_t per_task);
/// Returns how many tasks each array has.
std::vector<std::size_t> array_sizes(std::size_t tasks, const SlurmLimits& limits);

/// The parts of the scripts of a batch.
struct SlurmScript {
  std::string heddle;  ///< path of the program
  std::string dir;     ///< absolute path of the batch's directory
  std::string tasks;   ///< path of the file with the cells of each task, one line per task
  std::vector<std::string> rights;  ///< options of `heddle cell`, such as --allow-commands
};
/// Returns the script of an array. Its argument is the line of the first task, from 0.
std::string cells_script(const SlurmScript& script);
/// Returns the script of the job that gathers.
std::string gather_script(const SlurmScript& script);

/// An array of tasks to submit.
struct SlurmArray {
  std::string name;                  ///< of the job
  std::size_t first = 0, count = 1;  ///< its lines in the file of tasks
  bool exclusive = false;
  std::string output;  ///< file below the batch's directory; %A, %a as for sbatch
  std::string script;  ///< path
  std::string after;   ///< id of a job that must have ended; "": none
};
/// Returns the command that submits the array.
std::vector<std::string> sbatch_words(const SlurmOptions& options, const SlurmArray& array,
                                      const std::string& dir);
/// Returns the command that submits the gathering job, which waits for all these jobs.
std::vector<std::string> sbatch_gather_words(const SlurmOptions& options, const std::string& name,
                                             const std::string& dir, const std::string& script,
                                             const std::vector<std::string>& jobs);
/// Returns the job's id in the output of `sbatch --parsable`: "12" or "12;cluster", perhaps after
/// warnings. Returns "" if there is none.
std::string job_id(std::string_view output);

/// The tasks of a batch in the queue.
struct SlurmQueue {
  std::size_t waiting = 0, running = 0;
  std::string reason;  ///< why the first waiting job waits
  friend bool operator==(const SlurmQueue&, const SlurmQueue&) = default;
};
/// Parses the output of `squeue -h -r -o "%T %r"`: a line per task.
SlurmQueue parse_queue(std::string_view output);

}  // namespace heddle::cli
