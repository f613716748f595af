#pragma once

#include "core/policy/scheduler/fair.h"

namespace heddle {

/// Dominant resource fairness: as fair, but the share that counts is the largest a queue or job
/// has of any resource: max_k(used_k / cluster_k) / weight.
///
/// Source: Ghodsi et al., "Dominant Resource Fairness", NSDI 2011, Algorithm 1; Hadoop's
/// DominantResourceFairnessPolicy. A parent's share is that of what its children hold together (the
/// naive form of Bhattacharya et al., "Hierarchical Scheduling for Diverse Datacenter Workloads",
/// SoCC 2013), so that a child that holds all of one resource can starve its siblings. Parameters:
/// as fair's, but for preemption, which it has not. Good at: jobs that need cores beside jobs that
/// need memory: neither gains by asking for more. Bad at: what fair is bad at; and what it leaves
/// over of the other resource is nobody's.
class Drf : public Fair {
 public:
  explicit Drf(const Scenario& scenario) : Fair(scenario, &dominant_share) {}
};

}  // namespace heddle
