#pragma once

#include <vector>

#include "core/engine.h"
#include "driver/recorder.h"
#include "master/container_times.h"
#include "master/live_clock.h"
#include "master/live_nodes.h"
#include "master/node_links.h"

namespace heddle::master {

/// Turns workers' reports about containers into events of the engine.
class LiveReports {
 public:
  /// All arguments must outlive the object.
  LiveReports(const Engine& engine, const LiveClock& clock, const NodeLinks& links,
              ContainerTimes& times, driver::Recorder& recorder, LiveNodes& nodes)
      : engine_(engine),
        clock_(clock),
        links_(links),
        times_(times),
        recorder_(recorder),
        nodes_(nodes) {}

  /// Adds an event for each new report of a message. If the message shows that the worker no longer
  /// knows a container, also adds the end of this container.
  void take(const NodeLinks::Heard& heard, real::Time now, std::vector<Event>& events);

 private:
  void take(NodeId node, const wire::Report& report, real::Time now, std::vector<Event>& events);
  /// Returns the time of a report's event. Converts the time that the worker has read from its
  /// clock to the master's clock. The result is not after the arrival of the report, and not before
  /// the event's cause.
  EmuTime event_time(NodeId node, const wire::Report& report, real::Time now) const;
  /// Returns false if the engine knows that the container was not launched on the node.
  bool was_given(NodeId node, ContainerId container) const;

  const Engine& engine_;
  const LiveClock& clock_;
  const NodeLinks& links_;
  ContainerTimes& times_;
  driver::Recorder& recorder_;
  LiveNodes& nodes_;
};

}  // namespace heddle::master
