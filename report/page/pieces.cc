#include "report/page/pieces.h"

#include <algorithm>
#include <utility>

#include "report/page/bars.h"
#include "report/page/data.h"

namespace heddle::report {
namespace {

bool is_in(NodeId node, std::size_t first, std::size_t end) {
  const auto number = static_cast<std::size_t>(node.value);
  return number >= first && number < end;
}
NodeId after(NodeId node, std::size_t first) {
  return NodeId{node.value - static_cast<std::int64_t>(first)};
}

/// Copies the rows of the nodes in the window. Their nodes then count from the first one.
template <class Row>
std::vector<Row> of_nodes(const std::vector<Row>& rows, std::size_t first, std::size_t end) {
  std::vector<Row> some;
  for (const Row& row : rows)
    if (is_in(row.node, first, end)) some.emplace_back(row).node = after(row.node, first);
  return some;
}

std::vector<FaultRow> of_nodes(const std::vector<FaultRow>& rows, std::size_t first,
                               std::size_t end) {
  std::vector<FaultRow> some;
  for (const FaultRow& row : rows) {
    if (row.node && !is_in(*row.node, first, end)) continue;
    some.push_back(row);
    if (row.node) some.back().node = after(*row.node, first);
  }
  return some;
}

}  // namespace

GanttPieces::GanttPieces(RunHistory history) : whole_(std::move(history)) {
  whole_.index_attempts();
  lanes_.reserve(whole_.attempt_count());
  node_lanes_ = each_bar(whole_, whole_.scenario.cluster.nodes.size(),
                         [&](const Bar& bar) { lanes_.push_back(bar.lane); });
}

wire::Json GanttPieces::piece(const ChartWindow& window, std::size_t most) const {
  const std::vector<NodeSpec>& nodes = whole_.scenario.cluster.nodes;
  const std::size_t first = std::min(window.first_node, nodes.size());
  const std::size_t end = first + std::min(window.nodes, nodes.size() - first);
  const auto at = [](const auto& list, std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  RunHistory part;
  part.end = whole_.end;
  part.scenario.jobs = whole_.scenario.jobs;
  part.scenario.faults = whole_.scenario.faults;
  part.scenario.cluster.nodes.assign(at(nodes, first), at(nodes, end));
  part.nodes = of_nodes(whole_.nodes, first, end);
  part.reservations = of_nodes(whole_.reservations, first, end);
  part.faults = of_nodes(whole_.faults, first, end);
  std::erase_if(part.reservations, [&](const ReservationRow& row) {
    return row.span.from >= window.until || row.span.until.value_or(part.end) < window.from;
  });
  Bars bars;
  bars.lanes.assign(at(node_lanes_, first), at(node_lanes_, end));
  for (std::size_t i = 0; i < whole_.indexed.size(); ++i) {
    const IndexedContainer& entry = whole_.indexed[i];
    if (entry.node < first || entry.node >= end) continue;
    AttemptRow row = whole_.indexed_row(entry);
    const EmuTime until = std::max(row.allocated, row.held_until().value_or(part.end));
    if (row.allocated >= window.until) continue;
    if (row.allocated < window.from && until <= window.from) continue;
    row.node = after(row.node, first);
    bars.bars.push_back({part.attempts.size(), 1, lanes_[i], row.allocated, until});
    part.attempts.push_back(std::move(row));
  }
  bars.bars = fewer_bars(part, std::move(bars.bars), window.until - window.from, most);
  return gantt_data(part, bars);
}

}  // namespace heddle::report
