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

/// Of a scenario in which more jobs than these differ, a sample of so many is simulated.
inline constexpr std::size_t kMostAlone = 2000;

/// The scenario of one of a scenario's jobs alone: the same empty cluster and the same tasks,
/// submitted at 0 to the default queue, under fifo with capacity_model reservation, without faults
/// and external load. What tasks do is drawn by the place of their job, so the job keeps its id:
/// those before it are there without anything to do, and never end.
Scenario alone_scenario(const Scenario& scenario, JobId job);

/// Completion times of jobs that are alone on their cluster, by simulation: what slowdown is
/// relative to. Jobs that do the same on the same cluster are simulated once, also across calls, so
/// that the policies and, where nothing is drawn, the repeats of a batch share them. All CPUs are
/// used.
class AloneTimes {
 public:
  /// The completion time of the scenario's last job; nullopt if the job does not complete.
  using Simulate = std::function<std::optional<EmuTime>(const Scenario&)>;
  /// `stop` is asked before each simulation; once it returns true, none is begun, and what is not
  /// known stays so. Both functions are called from several threads.
  explicit AloneTimes(std::function<bool()> stop, Simulate simulate = simulated_completion);

  /// The references of the scenario's jobs. alone_s is null for jobs with a phase of kind command,
  /// for those that do not complete alone, and for those outside of the sample: where more than
  /// `most` jobs differ, `most` of them are drawn by the scenario's seed. REQUIRES: the emulation
  /// is resolved.
  JobReferences of(const Scenario& scenario, std::size_t most = kMostAlone);

 private:
  using Key = std::pair<std::size_t, std::string>;  ///< the cluster's number, and what the job does
  struct Distinct;
  void simulate(const Scenario& scenario, const std::vector<Distinct>& jobs);

  std::function<bool()> stop_;
  Simulate simulate_;
  std::map<std::string, std::size_t> clusters_;
  std::map<Key, std::optional<EmuTime>> known_;
};

/// {"words", "jobs": [{"alone_s", "slowdown", "bounded_slowdown"}…], "mean_slowdown", "fairness",
/// "mean_bounded_slowdown"} of a run's summary, jobs in its order; null where not known.
wire::Json slowdown_json(const wire::Json& summary, const JobReferences& references);

}  // namespace heddle::report
