#pragma once

#include "core/policy/scheduler/haste/haste.h"

namespace heddle {

/// HaSTE-A: HaSTE with a third term, g * norm(alignment), which pulls iterative jobs forward, the
/// more the nearer they are to their end, so that their long chains of stages don't end the batch.
///
/// Source: Yao et al., "New Scheduling Algorithms for Improving Performance and Resource
/// Utilization in Hadoop YARN Clusters", TCC 2019. Parameters: haste's, and aggressiveness (g, no
/// unit, default the share of jobs that are not iterative: with nothing but iterative jobs it is
/// HaSTE). Good at: batches in which some jobs are long chains. Bad at: where all or none are, it
/// is no better than HaSTE; it goes by the number of stages, not by their length.
class HasteA : public Haste {
 public:
  explicit HasteA(const Scenario& scenario);
};

}  // namespace heddle
