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

GanttPieces::GanttPieces(RunHistory history) : history_(std::move(history)) {
  nodes_ = std::move(history_.scenario.cluster.nodes);
  history_.scenario.cluster.nodes = nodes_;
  const Bars bars = gantt_bars(history_, nodes_.size(), history_.attempts.size());
  node_lanes_ = bars.lanes;
  lanes_.reserve(bars.bars.size());
  for (const Bar& bar : bars.bars) lanes_.push_back(bar.lane);
  containers_.reserve(history_.attempts.size());
  for (AttemptRow& row : history_.attempts) {
    containers_.push_back(indexed(row));
    if (!row.suspended.empty()) suspended_[row.container] = std::move(row.suspended);
  }
  history_.attempts = {};
  rows_.nodes = std::move(history_.nodes);
  rows_.reservations = std::move(history_.reservations);
  rows_.faults = std::move(history_.faults);
}

wire::Json GanttPieces::piece(const ChartWindow& window, std::size_t most) {
  const std::size_t first = std::min(window.first_node, nodes_.size());
  const std::size_t end = first + std::min(window.nodes, nodes_.size() - first);
  const auto at = [](auto& list, std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  history_.scenario.cluster.nodes.assign(at(nodes_, first), at(nodes_, end));
  history_.nodes = of_nodes(rows_.nodes, first, end);
  history_.reservations = of_nodes(rows_.reservations, first, end);
  history_.faults = of_nodes(rows_.faults, first, end);
  std::erase_if(history_.reservations, [&](const ReservationRow& row) {
    return row.span.from >= window.until || row.span.until.value_or(history_.end) < window.from;
  });
  history_.attempts.clear();
  Bars bars;
  bars.lanes.assign(at(node_lanes_, first), at(node_lanes_, end));
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    if (containers_[i].node < first || containers_[i].node >= end) continue;
    AttemptRow row = row_of(containers_[i]);
    const EmuTime until = std::max(row.allocated, row.ended.value_or(history_.end));
    if (row.allocated >= window.until) continue;
    if (row.allocated < window.from && until <= window.from) continue;
    if (const auto spans = suspended_.find(row.container); spans != suspended_.end())
      row.suspended = spans->second;
    row.node = after(row.node, first);
    bars.bars.push_back({history_.attempts.size(), 1, lanes_[i], row.allocated, until});
    history_.attempts.push_back(std::move(row));
  }
  bars.bars = fewer_bars(history_, std::move(bars.bars), window.until - window.from, most);
  return gantt_data(history_, bars);
}

}  // namespace heddle::report
