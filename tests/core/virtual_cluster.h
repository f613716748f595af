#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/engine.h"

namespace heddle {

/// Runs an engine in virtual time with tasks that take exactly their `sleep`: a driver small enough
/// for tests, which checks at each step that nothing is over-allocated and no action refused.
class VirtualCluster {
 public:
  explicit VirtualCluster(Scenario scenario);

  /// Runs until all jobs have ended or nothing more can happen. False in the latter case.
  bool run();
  double wait_s(const std::string& job) const;    ///< submission to the first start
  double finish_s(const std::string& job) const;  ///< the last end of a task
  double makespan_s() const;
  /// Every action of the run, one a line: "3.0 launch big.map.0 on n1", "… reserve …".
  const std::vector<std::string>& log() const { return log_; }
  int refused() const { return refused_; }
  const ClusterState& state() const { return engine_.state(); }

  /// The task's first `times` attempts end this way instead of completing.
  void make_fail(TaskId task, int times, Outcome outcome);

 private:
  void step(EmuTime now, std::vector<Event> events);
  void check_invariants();
  std::string describe(EmuTime now, const Action& action) const;

  Scenario scenario_;
  Engine engine_;
  std::multimap<EmuTime, Event> queue_;
  std::map<TaskId, std::pair<int, Outcome>> failures_;
  std::map<std::string, double> start_, finish_;
  std::map<ContainerId, std::string> job_of_;
  std::vector<std::string> log_;
  int refused_ = 0;
};

/// A scenario of nodes n1…nN with the given cores and GiB each, `dispatch: immediate`.
Scenario cluster_of(int nodes, int cores, int gib);
/// A job of one phase "map": `tasks` tasks of `cores` cores and `gib` GiB that take `seconds`.
JobSpec job_of(const std::string& name, double submit_s, int tasks, int cores, int gib,
               double seconds);

}  // namespace heddle
