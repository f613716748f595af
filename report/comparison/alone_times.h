#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/scenario/scenario.h"
#include "report/comparison/metrics.h"
#include "report/simulated.h"

namespace heddle::report {

/// Maximum number of different jobs of a scenario that are simulated alone. If a scenario has more
/// different jobs, only a sample of this size is simulated.
inline constexpr std::size_t kMostAlone = 2000;

/// Returns a scenario in which `job` runs alone. The cluster is the same, but empty. The job has
/// the same tasks and is submitted at 0 to the default queue. The policy is fifo with
/// capacity_model reservation. There are no faults and no external load. The random draws of tasks
/// depend on the job's place in the list of jobs, so the job keeps its id. The jobs before it stay
/// in the list, but have nothing to do and never end.
Scenario alone_scenario(const Scenario& scenario, JobId job);

/// Computes by simulation how long jobs take when they are alone on their cluster. Slowdowns are
/// relative to these completion times. If several jobs do the same on the same cluster, only one of
/// them is simulated, even if the jobs are in different calls. Therefore the policies of a batch
/// share the results. If the scenario has no random draws, the repeats share them too. Simulations
/// use all CPUs.
class AloneTimes {
 public:
  /// Returns the completion time of the scenario's last job, or nullopt if the job does not
  /// complete.
  using Simulate = std::function<std::optional<EmuTime>(const Scenario&)>;
  /// `stop` is called before each simulation. After it has returned true, no further simulation
  /// starts, and the missing results stay unknown. Several threads call `stop` and `simulate`.
  explicit AloneTimes(std::function<bool()> stop, Simulate simulate = simulated_completion);

  /// Returns the references of the scenario's jobs. alone_s is null for jobs with a phase of kind
  /// command, for jobs that do not complete alone, and for jobs outside the sample. If there are
  /// more than `most` different jobs, the sample has `most` of them, which the scenario's seed
  /// selects. REQUIRES: the emulation is resolved.
  JobReferences of(const Scenario& scenario, std::size_t most = kMostAlone);
  /// Returns how many different jobs were simulated so far.
  std::size_t known() const { return known_.size(); }

 private:
  /// Number of the cluster, and a text that says what the job does.
  using Key = std::pair<std::size_t, std::string>;
  struct Distinct;
  void simulate(const Scenario& scenario, const std::vector<Distinct>& jobs);

  std::function<bool()> stop_;
  Simulate simulate_;
  std::map<std::string, std::size_t> clusters_;
  std::map<Key, std::optional<EmuTime>> known_;
};

/// Returns {"words", "jobs": [{"alone_s", "slowdown", "bounded_slowdown"}…], "mean_slowdown",
/// "fairness", "mean_bounded_slowdown"} for a run's summary. The jobs are in the order of the
/// summary. Unknown values are null.
wire::Json slowdown_json(const wire::Json& summary, const JobReferences& references);

}  // namespace heddle::report
