#include "report/page/bars.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace heddle::report {
namespace {

/// Gaps shorter than one kGapPart-th of the run are invisible in the chart.
constexpr std::int64_t kGapPart = 2000;

/// The lanes of a node or of a device.
class Lanes {
 public:
  /// Takes the first lane that is free at `from`, until `until`.
  int take(EmuTime from, EmuTime until) {
    while (!taken_.empty() && taken_.top().first <= from) {
      free_.insert(taken_.top().second);
      taken_.pop();
    }
    const int lane = free_.empty() ? count_++ : free_.extract(free_.begin()).value();
    taken_.emplace(until, lane);
    return lane;
  }
  int count() const { return count_; }

 private:
  using Taken = std::pair<EmuTime, int>;
  std::priority_queue<Taken, std::vector<Taken>, std::greater<>> taken_;  ///< with their ends
  std::set<int> free_;
  int count_ = 0;
};

/// Returns whether a bar of a container can stand for several containers. `shortest`: a reduce that
/// waited for that long keeps its own bar.
bool is_plain(const RunHistory& history, const AttemptRow& row, EmuTime shortest) {
  if (row.kept || !row.suspended.empty() || !row.end || row.end->outcome != Outcome::kCompleted)
    return false;
  const std::optional<Span> wait = reduce_wait(history, row);
  return !wait || *wait->until - wait->from < shortest;
}

/// Merges each bar with the bar before it in its lane, if `joins` says so.
template <class Joins>
std::vector<Bar> merged(const RunHistory& history, const std::vector<Bar>& bars,
                        const Joins& joins) {
  std::vector<Bar> result;
  std::map<std::pair<NodeId, int>, std::size_t> newest;  // index in `result` of the newest bar of
                                                         // each lane
  for (const Bar& bar : bars) {
    auto [place, is_new] =
        newest.try_emplace({history.attempts[bar.first].node, bar.lane}, result.size());
    if (!is_new) {
      if (joins(result[place->second], bar)) continue;
      place->second = result.size();
    }
    result.push_back(bar);
  }
  return result;
}

std::int64_t lanes_of(const RunHistory& history, const std::vector<Bar>& bars) {
  std::set<std::pair<NodeId, int>> lanes;
  for (const Bar& bar : bars) lanes.emplace(history.attempts[bar.first].node, bar.lane);
  return std::ssize(lanes);
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

std::vector<Bar> fewer_bars(const RunHistory& history, std::vector<Bar> bars, EmuTime span,
                            std::size_t most) {
  if (bars.size() <= most) return bars;
  const EmuTime gap(span.count() / kGapPart);
  bars = merged(history, bars, [&](Bar& before, const Bar& bar) {
    const AttemptRow& row = history.attempts[bar.first];
    const AttemptRow& other = history.attempts[before.first];
    if (row.phase != other.phase || bar.from - before.until >= gap ||
        !is_plain(history, row, gap) || !is_plain(history, other, gap))
      return false;
    before.until = bar.until;
    before.count += bar.count;
    return true;
  });
  if (bars.size() <= most) return bars;
  const EmuTime slot(span.count() * lanes_of(history, bars) / static_cast<std::int64_t>(most));
  std::map<std::pair<NodeId, int>, EmuTime> longest;  // in the newest bar of each lane
  return merged(history, bars, [&](Bar& before, const Bar& bar) {
    EmuTime& length =
        longest
            .try_emplace({history.attempts[bar.first].node, bar.lane}, before.until - before.from)
            .first->second;
    const EmuTime own = bar.until - bar.from;
    if (bar.until - before.from > slot) {
      length = own;
      return false;
    }
    if (own > length) {
      length = own;
      before.first = bar.first;
    }
    before.until = bar.until;
    before.count += bar.count;
    return true;
  });
}

std::vector<int> each_bar(const RunHistory& history, std::size_t nodes_shown,
                          const std::function<void(const Bar&)>& take) {
  std::vector<Lanes> lanes(std::min(nodes_shown, history.scenario.cluster.nodes.size()));
  std::size_t i = 0;
  history.each_attempt([&](const AttemptRow& row) {
    const std::size_t number = i++;
    const auto node = static_cast<std::size_t>(row.node.value);
    if (node >= lanes.size()) return;
    const EmuTime until = std::max(row.allocated, row.held_until().value_or(history.end));
    take({number, 1, lanes[node].take(row.allocated, until), row.allocated, until});
  });
  std::vector<int> counts;
  for (const Lanes& of_node : lanes) counts.push_back(of_node.count());
  return counts;
}

Bars gantt_bars(const RunHistory& history, std::size_t nodes_shown, std::size_t most) {
  Bars result;
  result.lanes =
      each_bar(history, nodes_shown, [&](const Bar& bar) { result.bars.push_back(bar); });
  result.bars = fewer_bars(history, std::move(result.bars), history.end, most);
  return result;
}

DeviceBars device_bars(const RunHistory& history, const Bars& bars) {
  const ClusterSpec& cluster = history.scenario.cluster;
  DeviceBars result;
  std::map<std::tuple<NodeId, std::size_t, int>, std::size_t> places;
  for (std::size_t node = 0; node < bars.lanes.size(); ++node)
    for (std::size_t i = 0; i < cluster.resources.size(); ++i) {
      const std::int64_t amount = cluster.nodes[node].capacity.counts[i].count();
      const std::int64_t count = cluster.resources[i].devices ? amount / kWholeDevice : 0;
      for (int device = 0; device < count; ++device) {
        const NodeId id{static_cast<std::int64_t>(node)};
        places[{id, i, device}] = result.devices.size();
        result.devices.push_back({id, i, device, 0});
      }
    }
  std::vector<Lanes> lanes(result.devices.size());
  for (std::size_t number = 0; number < bars.bars.size(); ++number) {
    const Bar& bar = bars.bars[number];
    const AttemptRow& row = history.attempts[bar.first];
    if (bar.count > 1) continue;
    for (std::size_t i = 0; i < cluster.resources.size(); ++i)
      for (const int device : numbers_of(row.held.counts.devices(i)))
        if (const auto place = places.find({row.node, i, device}); place != places.end())
          result.bars.push_back(
              {number, place->second, lanes[place->second].take(bar.from, bar.until)});
  }
  if (result.bars.empty()) return {};
  for (std::size_t i = 0; i < lanes.size(); ++i) result.devices[i].lanes = lanes[i].count();
  return result;
}

}  // namespace heddle::report
