#pragma once

#include <vector>

namespace heddle {

/// Difference below which two shares count as equal, because products of decimals have rounding
/// errors.
inline constexpr double kShareTolerance = 1e-9;

/// Guarantee, maximum, holdings and demand of a queue. All amounts are dominant shares of the
/// cluster, 0..1.
struct QueueShares {
  std::vector<int> children;  ///< indices; a leaf has none
  double guaranteed = 1;
  double maximum = 1;
  double held = 0;    ///< leaves only
  double wanted = 0;  ///< leaves only: the sum of what the leaf holds and what it requests
};

/// Returns what each queue should hold. Entry 0 is the root, which holds the whole cluster.
///
/// The demand of a leaf is min(wanted, max(guaranteed, held)), but at most its maximum. The demand
/// of a parent is the sum of the demands of its children, but at most its maximum. At each level,
/// every queue first gets min(guaranteed, demand). If these amounts exceed what the parent has
/// (possible with `min` of fair), all queues get the same fraction of them. Otherwise, the rest
/// goes to the queues with demand left, in proportion to their guarantees. No queue gets more than
/// its demand. This is repeated until nothing is left. Queues without a guarantee then share the
/// rest in equal parts.
///
/// Source: Hadoop's PreemptableResourceCalculator (ProportionalCapacityPreemptionPolicy), computed
/// without rounding.
std::vector<double> ideal_shares(const std::vector<QueueShares>& queues);

}  // namespace heddle
