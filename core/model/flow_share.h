#pragma once

#include <array>
#include <vector>

namespace heddle {

/// What a flow of data passes through, by index: disks and directions of network cards.
struct FlowPath {
  static constexpr int kNone = -1;
  FlowPath() : FlowPath(kNone) {}
  explicit FlowPath(int a, int b = kNone, int c = kNone, int d = kNone) : over{a, b, c, d} {}
  std::array<int, 4> over;  ///< different ones; those that are none at the end
};

/// Divides resources among the flows over them, max-min fair: no flow can have more but at the cost
/// of one that has no more than it. Progressive filling: all rates grow alike until a resource is
/// full; the flows over it keep theirs, the others go on. Rates in the order of the flows, in the
/// unit of the capacities. O((flows + resources) log resources), deterministic.
/// REQUIRES: each flow passes at least one resource; capacities > 0.
///
/// Source: D. Bertsekas, R. Gallager, Data Networks, 2nd ed., section 6.5.2.
std::vector<double> share_flows(const std::vector<FlowPath>& flows,
                                const std::vector<double>& capacities);

}  // namespace heddle
