#include "core/model/usage_estimator.h"

#include <algorithm>

namespace heddle {
namespace {

/// Applies rules 4, 1 and 3, in this order.
double next(double estimate, double to_take, double used, double damping) {
  estimate = std::max(0.0, estimate - to_take);
  estimate = (1 - damping) * estimate + damping * used;
  return std::max(estimate, used);
}

UsageEstimate next(const UsageEstimate& estimate, const UsageEstimate& to_take,
                   const Resources& measured, const Damping& damping) {
  const UsageEstimate used = as_estimate(measured);
  return {next(estimate.cores, to_take.cores, used.cores, damping.cores),
          next(estimate.memory, to_take.memory, used.memory, damping.memory)};
}

}  // namespace

UsageEstimate as_estimate(const Resources& resources) {
  return {static_cast<double>(resources.cores.count()) / 1e3,
          static_cast<double>(resources.memory.count())};
}

void UsageEstimator::add(const UsageEstimate& request) {
  estimate_.containers += request;
  estimate_.node += request;
}

void UsageEstimator::allocated(ContainerId container, const Resources& request) {
  const Residual& residual =
      residuals_[container] = {as_estimate(request), heartbeats_, heartbeats_, true};
  add(residual.request);
}

void UsageEstimator::ended(ContainerId container) {
  suspended(container);
  auto it = residuals_.find(container);
  const Residual& residual = it->second;
  to_take_.memory += left(damping_.memory, residual.memory_since) * residual.request.memory;
  residuals_.erase(it);
}

void UsageEstimator::suspended(ContainerId container) {
  Residual& residual = residuals_.at(container);
  if (!residual.cores_held) return;
  residual.cores_held = false;
  to_take_.cores += left(damping_.cores, residual.cores_since) * residual.request.cores;
}

void UsageEstimator::resumed(ContainerId container) {
  Residual& residual = residuals_.at(container);
  if (residual.cores_held) return;
  residual.cores_held = true;
  residual.cores_since = heartbeats_;
  add({residual.request.cores, 0});
}

void UsageEstimator::heartbeat(const NodeUse& use) {
  estimate_.containers = next(estimate_.containers, to_take_, use.containers, damping_);
  estimate_.node = next(estimate_.node, to_take_, use.node, damping_);
  to_take_ = {};
  ++heartbeats_;
}

}  // namespace heddle
