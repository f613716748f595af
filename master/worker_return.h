#pragma once

#include <vector>

#include "core/engine.h"
#include "master/live_nodes.h"
#include "master/live_options.h"
#include "master/node_links.h"

namespace heddle::master {

/// Waits for the workers of a resumed run that were alive when the previous master died. If no node
/// was left and none awaited, as after the end of a run that lost all nodes, waits for workers of
/// all nodes, for the patience.
class WorkerReturn {
 public:
  /// All arguments must outlive the object.
  WorkerReturn(const Scenario& scenario, const LiveOptions& options, const Engine& engine,
               const FaultWatch& faults, NodeLinks& links, LiveNodes& nodes)
      : scenario_(scenario),
        options_(options),
        engine_(engine),
        faults_(faults),
        links_(links),
        nodes_(nodes) {}

  /// Starts the wait.
  void begin(real::Time now);
  /// Notes that the master did not run for this time. The run waits for this much longer.
  void note_stall(real::Duration length) { limit_ += length; }
  /// Returns the time until which the run waits. REQUIRES: the wait has begun.
  real::Time limit() const { return limit_; }
  /// Returns whether all awaited workers are back or the wait is over. REQUIRES: the wait has
  /// begun.
  bool wait_over(real::Time now) const;
  /// Returns the events for the engine after the wait: nodes that were lost since the previous
  /// master died, and nodes that have a new worker. `at`: the emulated time at which the run was
  /// resumed. REQUIRES: the run is running.
  std::vector<Event> events(EmuTime at, real::Time now);

 private:
  const Scenario& scenario_;
  const LiveOptions& options_;
  const Engine& engine_;
  const FaultWatch& faults_;
  NodeLinks& links_;
  LiveNodes& nodes_;
  real::Time limit_;
  bool await_all_ = false;  ///< also workers of lost nodes
};

}  // namespace heddle::master
