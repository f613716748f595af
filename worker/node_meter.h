#pragma once

#include <optional>

#include "cgroup/tree.h"
#include "core/model/usage_estimator.h"
#include "wire/messages.h"
#include "worker/outside_program.h"

namespace heddle::worker {

/// What a node uses as a whole, from heartbeat to heartbeat, and, where the worker is to make it
/// (`estimate_at: worker`), the estimate that follows from it.
class NodeMeter {
 public:
  /// `welcome` must outlive it.
  NodeMeter(const wire::Welcome& welcome, real::Time now);

  // What the estimate goes by beside measurements.
  void launched(const wire::LaunchCommand& launch);
  void reported(const wire::Report& report);

  /// Fills node_cpu, node_memory, use (since the last call) and estimate. `node`: of the node's
  /// groups, which those of `outside` are below.
  void measure(const cgroup::ContainerStats& node, const OutsideProgram::Use& outside,
               real::Time at, wire::Heartbeat& heartbeat);

 private:
  /// What its host says of itself, if it is to be asked; else of all that was measured of the node.
  Resources node_use(const Resources& measured, real::Time at);

  const wire::Welcome& welcome_;
  std::optional<UsageEstimator> estimator_;
  /// Of the containers, of what is outside of them and of the host, at …
  real::Duration containers_{0}, outside_{0}, host_{0};
  real::Time at_;
};

}  // namespace heddle::worker
