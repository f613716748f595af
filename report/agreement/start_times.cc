#include "report/agreement/start_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace heddle::report {
namespace {

real::Duration duration(double milliseconds) {
  return std::chrono::nanoseconds(std::llround(milliseconds * 1e6));
}

}  // namespace

void add_start_times(const std::vector<AttemptRow>& attempts, sim::StartTimes& times) {
  std::map<std::pair<NodeId, EmuTime>, std::vector<double>> starts;
  for (const AttemptRow& attempt : attempts)
    if (attempt.launch_ms) starts[{attempt.node, attempt.allocated}].push_back(*attempt.launch_ms);
  for (auto& [decision, milliseconds] : starts) {
    std::ranges::sort(milliseconds);
    times.first.push_back(duration(milliseconds.front()));
    for (std::size_t i = 1; i < milliseconds.size(); ++i)
      times.following.push_back(duration(milliseconds[i] - milliseconds[i - 1]));
  }
}

}  // namespace heddle::report
