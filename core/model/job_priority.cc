#include "core/model/job_priority.h"

#include <algorithm>

namespace heddle {

double age_factor(EmuTime eligible, EmuTime recalculated, EmuTime max_age) {
  const std::int64_t waited = whole_seconds(recalculated) - whole_seconds(eligible);
  if (waited <= 0) return 0;
  return std::min(static_cast<double>(waited) / to_seconds(max_age), 1.0);
}

double size_factor(const JobSize& asked, const JobSize& cluster, FavorSize favor) {
  const double cpus = asked.cpus / cluster.cpus, nodes = asked.nodes / cluster.nodes;
  if (favor == FavorSize::kLarge) return (cpus + nodes) / 2;
  return ((cluster.cpus - asked.cpus) / cluster.cpus +
          (cluster.nodes - asked.nodes) / cluster.nodes) /
         2;
}

std::int64_t priority_of(std::initializer_list<double> terms) {
  double sum = 0;
  for (const double term : terms) sum += term;
  return std::max<std::int64_t>(static_cast<std::int64_t>(sum), 1);
}

}  // namespace heddle
