#pragma once

#include <string>

#include "common/run_status.h"
#include "master/live_nodes.h"
#include "master/live_parts.h"
#include "master/registration.h"

namespace heddle::master {

/// Ends a real run. Decides when the run ends, tells the workers to leave, and waits for their
/// goodbyes.
class RunEnd {
 public:
  RunEnd(LiveParts& parts, LiveNodes& nodes, Registration& registration);

  /// Ends the run and tells its workers to leave.
  void leave(RunStatus status, const std::string& reason, real::Time now);
  /// Starts to leave if nothing is left to do. A run that is leaving is over when all workers have
  /// said goodbye or have been lost, at the latest at limit().
  void settle(real::Time now);

  /// Returns when to stop waiting for goodbyes. REQUIRES: the run is leaving.
  real::Time limit() const { return limit_; }
  bool over() const { return parts_.life == Life::kOver; }
  /// REQUIRES: the run is over or leaving.
  RunStatus status() const { return *parts_.status; }
  const std::string& reason() const { return parts_.reason; }
  /// Returns a text for the user that says why the run did not end well, or "" if it did.
  std::string trouble() const;

 private:
  /// Ends the run if all jobs have ended or no node can take tasks any more.
  void leave_if_done(real::Time now);

  LiveParts& parts_;
  LiveNodes& nodes_;
  Registration& registration_;
  real::Time limit_;
};

}  // namespace heddle::master
