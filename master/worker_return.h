#pragma once

#include <vector>

#include "core/engine.h"
#include "master/live_nodes.h"
#include "master/live_options.h"
#include "master/node_links.h"

namespace heddle::master {

/// Waits for the workers of a resumed run. They were alive when the previous master died.
class WorkerReturn {
 public:
  /// All arguments must outlive the object.
  WorkerReturn(const Scenario& scenario, const LiveOptions& options, const Engine& engine,
               NodeLinks& links, LiveNodes& nodes)
      : scenario_(scenario), options_(options), engine_(engine), links_(links), nodes_(nodes) {}

  /// Starts the wait.
  void begin(real::Time now);
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
  NodeLinks& links_;
  LiveNodes& nodes_;
  real::Time limit_;
};

}  // namespace heddle::master
