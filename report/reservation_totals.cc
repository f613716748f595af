#include "report/reservation_totals.h"

#include <algorithm>
#include <vector>

namespace heddle::report {

void ReservationTotals::begin(NodeId node, PhaseId phase, EmuTime at) {
  end(node, at);
  now_[node] = {phase, node, {at, std::nullopt}, false};
  by_phase_.emplace(phase, node);
  ++count_;
}

void ReservationTotals::moved(NodeId node) {
  --count_;
  now_.at(node).moved = true;
}

void ReservationTotals::end(NodeId node, EmuTime at) {
  const auto it = now_.find(node);
  if (it == now_.end()) return;
  ended_ += at - it->second.span.from;
  if (rows_) {
    it->second.span.until = at;
    rows_->reservations.push_back(it->second);
  }
  by_phase_.erase({it->second.phase, node});
  now_.erase(it);
}

void ReservationTotals::end(NodeId node, PhaseId phase, EmuTime at) {
  const auto it = now_.find(node);
  if (it != now_.end() && it->second.phase == phase) end(node, at);
}

void ReservationTotals::end_all(PhaseId from, PhaseId until, EmuTime at) {
  std::vector<NodeId> nodes;
  for (auto it = by_phase_.lower_bound({from, NodeId{}}); it != by_phase_.end(); ++it) {
    if (it->first >= until) break;
    nodes.push_back(it->second);
  }
  std::ranges::sort(nodes);
  for (NodeId node : nodes) end(node, at);
}

void ReservationTotals::finish() {
  if (!rows_) return;
  for (const auto& [node, row] : now_) rows_->reservations.push_back(row);
}

EmuTime ReservationTotals::held(EmuTime until) const {
  EmuTime sum = ended_;
  for (const auto& [node, row] : now_) sum += until - row.span.from;
  return sum;
}

}  // namespace heddle::report
