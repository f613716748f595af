#include "report/page/bars.h"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::report {
namespace {

/// Gaps shorter than one kGapPart-th of the run are invisible in the chart.
constexpr std::int64_t kGapPart = 2000;

/// Returns whether the chart shows that the container held its resources and waited.
bool shows_a_wait(const RunHistory& history, const AttemptRow& row) {
  const std::optional<Span> wait = reduce_wait(history, row);
  return wait && (*wait->until - wait->from).count() >= history.end.count() / kGapPart;
}

bool is_plain(const RunHistory& history, const AttemptRow& row) {
  return row.suspended.empty() && row.end && row.end->outcome == Outcome::kCompleted &&
         !shows_a_wait(history, row);
}

/// Merges bars. REQUIRES: bars are sorted by beginning.
std::vector<Bar> merged(const RunHistory& history, const std::vector<Bar>& bars) {
  std::vector<Bar> result;
  std::map<std::pair<NodeId, int>, std::size_t> newest;  // index in `result` of the newest bar of
                                                         // each lane
  for (const Bar& bar : bars) {
    const AttemptRow& row = history.attempts[bar.first];
    auto [place, is_new] = newest.try_emplace({row.node, bar.lane}, result.size());
    if (!is_new) {
      Bar& before = result[place->second];
      const AttemptRow& other = history.attempts[before.first];
      if (is_plain(history, row) && is_plain(history, other) && row.phase == other.phase &&
          (bar.from - before.until).count() < history.end.count() / kGapPart) {
        before.until = bar.until;
        before.count += bar.count;
        continue;
      }
      place->second = result.size();
    }
    result.push_back(bar);
  }
  return result;
}

}  // namespace

std::optional<Span> reduce_wait(const RunHistory& history, const AttemptRow& row) {
  if (!row.started || !row.awaits_inputs || history.phase(row.phase).kind != PhaseKind::kReduce)
    return {};
  EmuTime until = row.ended.value_or(history.end);
  if (row.begun || row.inputs) until = std::min(until, row.begun ? *row.begun : *row.inputs);
  if (until <= *row.started) return {};
  return Span{*row.started, until};
}

Bars gantt_bars(const RunHistory& history, std::size_t nodes_shown, std::size_t most) {
  Bars result;
  result.lanes.assign(std::min(nodes_shown, history.scenario.cluster.nodes.size()), 0);
  std::vector<std::vector<EmuTime>> free_at(result.lanes.size());
  for (std::size_t i = 0; i < history.attempts.size(); ++i) {
    const AttemptRow& row = history.attempts[i];
    const auto node = static_cast<std::size_t>(row.node.value);
    if (node >= result.lanes.size()) continue;
    const EmuTime until = std::max(row.allocated, row.ended.value_or(history.end));
    std::vector<EmuTime>& lanes = free_at[node];
    auto lane = std::find_if(lanes.begin(), lanes.end(),
                             [&](EmuTime free) { return free <= row.allocated; });
    if (lane == lanes.end()) lane = lanes.insert(lanes.end(), until);
    *lane = until;
    result.bars.push_back({i, 1, static_cast<int>(lane - lanes.begin()), row.allocated, until});
  }
  for (std::size_t node = 0; node < free_at.size(); ++node)
    result.lanes[node] = static_cast<int>(free_at[node].size());
  if (result.bars.size() > most) result.bars = merged(history, result.bars);
  return result;
}

}  // namespace heddle::report
