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

/// Largest number of different jobs that are simulated alone. If more jobs of a scenario differ, a
/// sample of this size is simulated.
inline constexpr std::size_t kMostAlone = 2000;

/// Returns a scenario in which `job` runs alone: the same empty cluster and the same tasks,
/// submitted at 0 to the default queue, under fifo with capacity_model reservation, without faults
/// and external load. A job's place in the list decides what its tasks draw, so the job keeps its
/// id: the jobs before it are present, but have nothing to do and never end.
Scenario alone_scenario(const Scenario& scenario, JobId job);

/// Computes by simulation how long jobs take when they are alone on their cluster. Slowdowns are
/// relative to these completion times. Jobs that do the same on the same cluster are simulated
/// once, also across calls, so the policies of a batch share the results, and the repeats do too if
/// nothing is drawn. Simulations use all CPUs.
class AloneTimes {
 public:
  /// Returns the completion time of the scenario's last job, or nullopt if the job does not
  /// complete.
  using Simulate = std::function<std::optional<EmuTime>(const Scenario&)>;
  /// `stop` is asked before each simulation. Once it returns true, no further simulation starts,
  /// and the missing results stay unknown. Several threads call both functions.
  explicit AloneTimes(std::function<bool()> stop, Simulate simulate = simulated_completion);

  /// Returns the references of the scenario's jobs. alone_s is null for jobs with a phase of kind
  /// command, for jobs that do not complete alone, and for jobs outside the sample. If more than
  /// `most` jobs differ, the scenario's seed selects `most` of them. REQUIRES: the emulation is
  /// resolved.
  JobReferences of(const Scenario& scenario, std::size_t most = kMostAlone);

 private:
  using Key = std::pair<std::size_t, std::string>;  ///< number of the cluster, and what the job
                                                    ///< does
  struct Distinct;
  void simulate(const Scenario& scenario, const std::vector<Distinct>& jobs);

  std::function<bool()> stop_;
  Simulate simulate_;
  std::map<std::string, std::size_t> clusters_;
  std::map<Key, std::optional<EmuTime>> known_;
};

/// Returns {"words", "jobs": [{"alone_s", "slowdown", "bounded_slowdown"}…], "mean_slowdown",
/// "fairness", "mean_bounded_slowdown"} for a run's summary. Jobs keep the summary's order; unknown
/// values are null.
wire::Json slowdown_json(const wire::Json& summary, const JobReferences& references);

}  // namespace heddle::report
