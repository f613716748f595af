#pragma once

#include "core/model/resources.h"
#include "core/policy/base/option.h"

namespace heddle {

inline constexpr NumberOption kCoresWeight(
    {.name = "cores_weight",
     .least = 0,
     .most = 1000,
     .by_default = "1",
     .help = "weight of cores in the dot product of request and residual"});
inline constexpr NumberOption kMemoryWeight(
    {.name = "memory_weight",
     .least = 0,
     .most = 1000,
     .by_default = "1",
     .help = "weight of memory in the dot product of request and residual"});

/// Scores how well requests suit what is free on a node. The score is sum_k w_k R_k C_k. R is the
/// request, and C is the residual (what is free). R and C are shares of the cluster's resources.
/// The weight of a resource other than cores and memory is 1. Scores are floats, so that two values
/// count as equal if they differ only by rounding. Source: Panigrahy et al., "Heuristics for Vector
/// Bin Packing", 2011; fitness in Yao et al., HaSTE, CLOUD 2014.
class Fitness {
 public:
  struct Weights {
    double cores = 1, memory = 1;
  };
  /// Returns the weights that the options of the policy set.
  static Weights weights(const PolicySpec& policy) {
    return {value(policy, kCoresWeight), value(policy, kMemoryWeight)};
  }
  Fitness(const Weights& weights, const Resources& free, const Resources& total)
      : cores_(weights.cores * share_of(free.cores.count(), total.cores.count())),
        memory_(weights.memory * share_of(free.memory.count(), total.memory.count())),
        free_(free.counts),
        total_(total) {}

  float of(const Resources& request) const {
    double sum = cores_ * share_of(request.cores.count(), total_.cores.count()) +
                 memory_ * share_of(request.memory.count(), total_.memory.count());
    if (!request.counts.none())
      for (std::size_t i = 0; i < Counts::kMost; ++i)
        sum += share_of(free_[i].count(), total_.counts[i].count()) *
               share_of(request.counts[i].count(), total_.counts[i].count());
    return static_cast<float>(sum);
  }

 private:
  double cores_, memory_;  ///< w_k C_k
  Counts free_;
  Resources total_;
};

}  // namespace heddle
