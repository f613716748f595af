#pragma once

#include <array>
#include <utility>
#include <vector>

namespace heddle {

/// The resources that a flow of data uses, by index. A resource is a disk or one direction of a
/// network card.
struct FlowPath {
  static constexpr int kNone = -1;
  FlowPath() : FlowPath(kNone) {}
  explicit FlowPath(int a, int b = kNone, int c = kNone, int d = kNone) : over{a, b, c, d} {}
  std::array<int, 4> over;  ///< distinct indices; kNone entries come last
};

/// Divides resources among the flows that use them. The rates are max-min fair: a flow could get a
/// higher rate only if a flow with the same or a lower rate got less. The method is progressive
/// filling. All rates grow equally until a resource is full. The flows that use this resource keep
/// their rates, and the rates of the other flows continue to grow. The object keeps its memory
/// between divisions.
///
/// Source: D. Bertsekas, R. Gallager, Data Networks, 2nd ed., section 6.5.2.
class FlowShares {
 public:
  /// Returns the rates in the order of the flows, in the unit of the capacities. They are valid
  /// until the next call. O((flows + resources) log resources), deterministic. REQUIRES: each flow
  /// uses at least one resource; capacities > 0.
  const std::vector<double>& divide(const std::vector<FlowPath>& flows,
                                    const std::vector<double>& capacities);

 private:
  struct Resource {
    double left = 0;  ///< capacity that is not assigned to a flow yet
    int open = 0;     ///< flows without a rate yet
    int first = 0;    ///< in passing_: the flows over the resource, up to `last`
    int last = 0;
    double level() const { return left / open; }
  };
  void list_flows(const std::vector<FlowPath>& flows);

  std::vector<Resource> resources_;
  std::vector<int> passing_;
  /// A heap of the rates at which resources become full, and of these resources. The lowest rate
  /// comes first.
  std::vector<std::pair<double, int>> order_;
  std::vector<double> rates_;
};

}  // namespace heddle
