#include "core/scenario/qos_preemption_order.h"

#include <algorithm>
#include <set>

namespace heddle {

bool preempts_through(const std::vector<QosSpec>& all, const std::string& one,
                      const std::string& other) {
  std::set<std::string> seen;
  std::vector<std::string> open{one};
  while (!open.empty()) {
    const auto qos = std::ranges::find(all, open.back(), &QosSpec::name);
    open.pop_back();
    if (qos == all.end()) continue;
    for (const std::string& name : qos->preempt) {
      if (name == other) return true;
      if (seen.insert(name).second) open.push_back(name);
    }
  }
  return false;
}

}  // namespace heddle
