#pragma once

#include <optional>

#include "cgroup/tree.h"
#include "core/model/usage_estimator.h"
#include "wire/messages.h"
#include "worker/outside_program.h"

namespace heddle::worker {

/// Measures what the whole node has used between two heartbeats. With `estimate_at: worker`, also
/// estimates from these measurements what the node uses.
class NodeMeter {
 public:
  /// `welcome` must outlive the meter.
  NodeMeter(const wire::Welcome& welcome, real::Time now);

  // Inputs of the estimate beside measurements.
  void launched(const wire::LaunchCommand& launch);
  void reported(const wire::Report& report);

  /// Fills in node_cpu, node_memory, use (since the last call) and estimate. `node`: usage of the
  /// node's group, which includes `outside`.
  void measure(const cgroup::ContainerStats& node, const OutsideProgram::Use& outside,
               real::Time at, wire::Heartbeat& heartbeat);

 private:
  /// Returns the usage that the host reports, if the scenario asks for that; else `measured`.
  Resources node_use(const Resources& measured, real::Time at);

  const wire::Welcome& welcome_;
  std::optional<UsageEstimator> estimator_;
  /// CPU time of the containers, of programs outside of them and of the host, as of at_.
  real::Duration containers_{0}, outside_{0}, host_{0};
  real::Time at_;
};

}  // namespace heddle::worker
