#pragma once

#include <vector>

#include "master/live_nodes.h"
#include "master/live_parts.h"

namespace heddle::master {

/// What workers report of containers, as events of the engine.
class LiveReports {
 public:
  LiveReports(LiveParts& parts, LiveNodes& nodes);

  /// Adds what a message's new reports say, and the end of containers that its worker does not
  /// know.
  void take(const NodeLinks::Heard& heard, real::Time now, std::vector<Event>& events);

 private:
  void take(NodeId node, const wire::Report& report, real::Time now, std::vector<Event>& events);
  /// When a report's event was: by the worker's clock, corrected to ours, but never after the
  /// report came nor before what had brought it about.
  EmuTime event_time(NodeId node, const wire::Report& report, real::Time now) const;
  /// It was launched there, for all we know.
  bool was_given(NodeId node, ContainerId container) const;

  LiveParts& parts_;
  const Engine& engine_;
  const LiveClock& clock_;
  LiveNodes& nodes_;
};

}  // namespace heddle::master
