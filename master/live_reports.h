#pragma once

#include <vector>

#include "master/live_nodes.h"
#include "master/live_parts.h"

namespace heddle::master {

/// Turns workers' reports about containers into events of the engine.
class LiveReports {
 public:
  LiveReports(LiveParts& parts, LiveNodes& nodes);

  /// Adds the events of a message's new reports, and the ends of containers that its worker does
  /// not know.
  void take(const NodeLinks::Heard& heard, real::Time now, std::vector<Event>& events);

 private:
  void take(NodeId node, const wire::Report& report, real::Time now, std::vector<Event>& events);
  /// Returns the time of a report's event: by the worker's clock, corrected to the master's, but no
  /// later than the report's arrival and no earlier than the event's cause.
  EmuTime event_time(NodeId node, const wire::Report& report, real::Time now) const;
  /// Returns whether the node was given the container, as far as the engine knows.
  bool was_given(NodeId node, ContainerId container) const;

  LiveParts& parts_;
  const Engine& engine_;
  const LiveClock& clock_;
  LiveNodes& nodes_;
};

}  // namespace heddle::master
