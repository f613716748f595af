#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scenario/fault_watch.h"
#include "core/state/cluster_state.h"
#include "master/node_links.h"
#include "wire/messages.h"
#include "wire/progress.h"

namespace heddle::master {

/// Collects what `heddle run` and `heddle top` show of a run: the latest events, the start times of
/// the jobs, and the resource use of the nodes.
class RunDisplay {
 public:
  /// `scenario` must outlive the display.
  explicit RunDisplay(const Scenario& scenario);

  void say(EmuTime at, const std::string& sentence);
  void started(const Container& container, EmuTime at);
  void oom_killed(const Container& container, OomCause cause, EmuTime at);
  void finished(const JobFinished& job, EmuTime at);
  void fault(const FaultMoment& moment);
  /// Returns the emulated cores that the node has used on average since its previous heartbeat.
  /// Measures the time since then with the worker's clock.
  double used_cores(NodeId node, const wire::Heartbeat& heartbeat);

  /// Returns the progress of the run. The result does not say how the run ends.
  wire::Progress progress(const ClusterState& state, const NodeLinks& links, EmuTime now) const;

 private:
  struct Use {
    double cores = 0;  ///< average of the last interval
    EmuBytes memory;
    CoreTime cpu;   ///< CPU time in the last heartbeat
    real::Time at;  ///< time of the last heartbeat by the worker's clock
  };

  const Scenario& scenario_;
  std::vector<std::optional<EmuTime>> starts_;  ///< start times, by job
  std::vector<Use> use_;                        ///< usage, by node
  std::vector<std::string> last_events_;        ///< the newest is the last
  std::int64_t said_ = 0;                       ///< number of events so far
};

}  // namespace heddle::master
