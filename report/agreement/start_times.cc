#include "report/agreement/start_times.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle::report {
namespace {

struct Start {
  real::Duration decided, started;  ///< since the beginning of the run
};

}  // namespace

void add_start_times(const std::vector<AttemptRow>& attempts, const Scale& scale,
                     sim::StartTimes& times) {
  std::map<NodeId, std::vector<Start>> nodes;
  for (const AttemptRow& attempt : attempts) {
    if (!attempt.launch_ms) continue;
    const real::Duration decided = scale.to_real(attempt.allocated);
    const real::Duration took = std::chrono::nanoseconds(std::llround(*attempt.launch_ms * 1e6));
    nodes[attempt.node].push_back({decided, decided + std::max(took, real::Duration(0))});
  }
  for (auto& [node, starts] : nodes) {
    std::ranges::sort(starts, {}, &Start::started);
    real::Duration before = real::Duration::min();
    for (const Start& start : starts) {
      if (start.decided < before)
        times.following.push_back(start.started - before);
      else
        times.first.push_back(start.started - start.decided);
      before = start.started;
    }
  }
}

}  // namespace heddle::report
