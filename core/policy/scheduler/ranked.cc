#include "core/policy/scheduler/ranked.h"

#include <algorithm>

namespace heddle {

void Ranked::in_order(const Round& round, const Visit& visit) {
  const Draft& draft = round.draft();
  const ClusterState& cluster = draft.view().cluster;
  const auto goes_on = [&](const Request* request) {
    return !request || draft.pending(*request) == 0 || !round.useful({draft, *request}) ||
           visit(*request);
  };
  for (const Rank& rank : ranking_.ranks)
    if (!goes_on(cluster.request(rank.phase))) return;
  if (!paused_) return;
  for (const auto& [phase, request] : cluster.requests())
    if (!goes_on(&request)) return;
}

std::span<const NodeId> Ranked::preferred(const Request& request) const {
  const auto rank = std::ranges::find(ranking_.ranks, request.phase, &Rank::phase);
  if (rank == ranking_.ranks.end()) return {};
  return rank->nodes;
}

}  // namespace heddle
