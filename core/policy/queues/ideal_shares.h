#pragma once

#include <vector>

namespace heddle {

/// Shares that differ by less than this are equal, because products of decimals have rounding
/// errors.
inline constexpr double kShareTolerance = 1e-9;

/// Guarantee, maximum, holdings and demand of a queue. All amounts are dominant shares of the
/// cluster, 0..1.
struct QueueShares {
  std::vector<int> children;  ///< indices; none: a leaf
  double guaranteed = 1;
  double maximum = 1;
  double held = 0;    ///< leaves only
  double wanted = 0;  ///< leaves only: what it holds and what it asks for together
};

/// Returns what each queue should hold. Entry 0 is the root, which holds the whole cluster.
///
/// The demand of a leaf is min(wanted, max(guaranteed, held)), at most its maximum; the demand of a
/// parent is the sum of its children's. At each level every queue first gets min(guaranteed,
/// demand). The rest goes to the queues with demand left, in proportion to their guarantees and up
/// to their demand, repeatedly; among queues without a guarantee it goes in equal parts. If the
/// first step needs more than the parent has (a fair queue's `min`), all get the same part of it.
///
/// Source: Hadoop's PreemptableResourceCalculator (ProportionalCapacityPreemptionPolicy), computed
/// without rounding.
std::vector<double> ideal_shares(const std::vector<QueueShares>& queues);

}  // namespace heddle
