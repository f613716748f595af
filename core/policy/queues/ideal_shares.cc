#include "core/policy/queues/ideal_shares.h"

#include <algorithm>

namespace heddle {
namespace {

class Division {
 public:
  explicit Division(const std::vector<QueueShares>& queues)
      : queues_(queues), demand_(queues.size()), ideal_(queues.size()) {
    find_demand(0);
    ideal_[0] = queues[0].maximum;
    divide(0);
  }

  std::vector<double> take() { return std::move(ideal_); }

 private:
  double find_demand(int index) {
    const QueueShares& queue = queues_[index];
    double demand = 0;
    if (queue.children.empty())
      demand = std::min(queue.wanted, std::max(queue.guaranteed, queue.held));
    for (int child : queue.children) demand += find_demand(child);
    return demand_[index] = std::min(demand, queue.maximum);
  }

  void divide(int parent) {
    const std::vector<int>& children = queues_[parent].children;
    double rest = ideal_[parent];
    for (int child : children) {
      ideal_[child] = std::min(queues_[child].guaranteed, demand_[child]);
      rest -= ideal_[child];
    }
    if (rest < 0)
      for (int child : children) ideal_[child] *= ideal_[parent] / (ideal_[parent] - rest);
    while (rest > kShareTolerance) {
      const double given = give(rest, children);
      if (given <= 0) break;
      rest -= given;
    }
    for (int child : children) divide(child);
  }

  /// Distributes `rest` among the children with demand left. No child gets more than its demand.
  /// Returns the sum of what the children got.
  double give(double rest, const std::vector<int>& children) {
    std::vector<int> asking;
    double guaranteed = 0;
    for (int child : children) {
      if (demand_[child] - ideal_[child] <= kShareTolerance) continue;
      asking.push_back(child);
      guaranteed += queues_[child].guaranteed;
    }
    const double equal = 1 / static_cast<double>(std::max<std::size_t>(asking.size(), 1));
    double given = 0;
    for (int child : asking) {
      const double part = guaranteed > 0 ? queues_[child].guaranteed / guaranteed : equal;
      const double more = std::min(rest * part, demand_[child] - ideal_[child]);
      ideal_[child] += more;
      given += more;
    }
    return given;
  }

  const std::vector<QueueShares>& queues_;
  std::vector<double> demand_, ideal_;
};

}  // namespace

std::vector<double> ideal_shares(const std::vector<QueueShares>& queues) {
  return Division(queues).take();
}

}  // namespace heddle
