#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/import/formats.h"

namespace heddle::trace {

/// Returns `count` equal nodes of this size. Their names are "n" and a number, from `first` on.
std::vector<NodeSpec> equal_nodes(int count, const Resources& size, int first = 1);

/// Returns a scenario without jobs for rigid jobs. Its simulation is ideal and its decisions are
/// immediate, so that virtual time shows the decisions of the scheduler and nothing else. The
/// policy is easy.
Scenario rigid_frame(const ImportOptions& options, const std::string& filename);
/// Makes the job rigid: its only phase becomes a gang, and it releases all its nodes at its end.
void make_rigid(JobSpec& job);
/// Returns a scenario without jobs for jobs of many tasks. The policy is fifo.
Scenario task_frame(const ImportOptions& options, const std::string& filename);

/// Returns how long a task takes with the cores that it requests, without data.
EmuTime time_of(const TaskSpec& task, const Resources& request);
/// Returns the core-seconds that the tasks of a job request while they run.
double held_core_seconds(const JobSpec& job);
/// Gives a rigid job without a walltime this one. Returns false if it has no walltime then.
bool limit_time(JobSpec& job, const std::optional<ImportOptions::Walltime>& walltime);
/// Multiplies the work of all tasks, and the walltime.
void scale_work(JobSpec& job, double factor);
/// If the phase has more than `most` tasks, merges them, unless they are executors. The total work
/// stays the same. The tasks of a gang become larger if they fit in a node of size `largest`; all
/// others take longer. Returns the factor by which they take longer, on average.
double merge_tasks(PhaseSpec& phase, int most, const Resources& largest);

/// Returns the emulated time that the jobs take at least on the cluster: until the last submission
/// and the end of its job, or until all work is done on all cores.
EmuTime shortest_makespan(const Scenario& scenario);

/// Makes decisions immediate in a long trace on many nodes. Simulations need not look at each of
/// the many heartbeats then.
void decide_at_once(Scenario& scenario, ImportReport& report);

/// Lets each rigid job run as long as its tasks take, by a grace for walltimes.
void allow_longer_runs(Scenario& scenario, ImportReport& report);

/// Chooses and scales the jobs of a scenario, as the options say, and fits their requests in the
/// cluster. Jobs are in the order of their submissions. Returns the time of the trace that becomes
/// 0. Throws BadTrace if the options ask for something that the jobs do not allow.
EmuTime scale(const ImportOptions& options, Scenario& scenario, ImportReport& report);

}  // namespace heddle::trace
