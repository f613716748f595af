#pragma once

#include <string>

#include "common/run_status.h"
#include "core/engine.h"
#include "driver/recorder.h"
#include "master/live_clock.h"
#include "master/live_nodes.h"
#include "master/node_links.h"
#include "master/outbox.h"
#include "master/registration.h"
#include "master/run_life.h"

namespace heddle::master {

/// Ends a real run. Decides when the run ends, tells the workers to leave, and waits for their
/// goodbyes.
class RunEnd {
 public:
  /// All arguments must outlive the object.
  RunEnd(RunLife& life, const Engine& engine, LiveClock& clock, const NodeLinks& links,
         Outbox& outbox, driver::Recorder& recorder, LiveNodes& nodes, Registration& registration)
      : life_(life),
        engine_(engine),
        clock_(clock),
        links_(links),
        outbox_(outbox),
        recorder_(recorder),
        nodes_(nodes),
        registration_(registration) {}

  /// Ends the run and tells its workers to leave.
  void leave(RunStatus status, const std::string& reason, real::Time now);
  /// Starts to leave if nothing is left to do. A run that is leaving is over when all workers have
  /// said goodbye or have been lost, at the latest at limit().
  void settle(real::Time now);

  /// Returns when to stop waiting for goodbyes. REQUIRES: the run is leaving.
  real::Time limit() const { return limit_; }
  bool over() const { return life_.is(Life::kOver); }
  /// REQUIRES: the run is over or leaving.
  RunStatus status() const { return *life_.status; }
  const std::string& reason() const { return life_.reason; }
  /// Returns a text for the user that says why the run did not end well, or "" if it did.
  std::string trouble() const;

 private:
  /// Ends the run if all jobs have ended or no node can take tasks any more.
  void leave_if_done(real::Time now);

  RunLife& life_;
  const Engine& engine_;
  LiveClock& clock_;
  const NodeLinks& links_;
  Outbox& outbox_;
  driver::Recorder& recorder_;
  LiveNodes& nodes_;
  Registration& registration_;
  real::Time limit_;
};

}  // namespace heddle::master
