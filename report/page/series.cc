#include "report/page/series.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>

namespace heddle::report {
namespace {

using wire::Json;

/// A change of the amounts that containers on a node hold.
struct Change {
  EmuTime at;
  std::size_t node = 0;
  Resources by;
  bool operator>(const Change& other) const { return at > other.at; }
};

/// Makes the series of what containers hold from the changes, which come in the order of time. If
/// several changes happen at the same time, only their sum is shown.
class Held {
 public:
  explicit Held(const RunHistory& history)
      : series_(history.end, history.scenario.cluster.nodes.size(), BandSeries::Holds::kAfter,
                history.scenario.cluster.resources),
        held_(history.scenario.cluster.nodes.size()),
        changed_(series_.nodes.size()) {
    std::iota(changed_.begin(), changed_.end(), std::size_t{0});
  }

  void take(const Change& change) {
    if (change.at != now_) show();
    now_ = change.at;
    sum_ += change.by;
    held_[change.node] += change.by;
    if (change.node < series_.nodes.size()) changed_.push_back(change.node);
  }
  ClusterSeries series() && {
    show();
    return std::move(series_);
  }

 private:
  /// Shows what is held now.
  void show() {
    std::ranges::sort(changed_);
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    for (const std::size_t node : changed_) point(series_.nodes[node], held_[node]);
    changed_.clear();
    point(series_.cluster, sum_);
  }
  void point(ResourceSeries& to, const Resources& is) const {
    to.add(now_, static_cast<double>(is.cores.count()) / 1e3,
           static_cast<double>(is.memory.count()), is.counts);
  }

  ClusterSeries series_;
  std::vector<Resources> held_;  ///< by each node
  Resources sum_;
  EmuTime now_{0};
  std::vector<std::size_t> changed_;  ///< shown nodes that changed at this time; at 0, all of them
};

}  // namespace

BandSeries::BandSeries(EmuTime end, int spans, Holds holds)
    : end_(end), holds_(holds), parts_(static_cast<std::size_t>(spans)) {}

void BandSeries::add(EmuTime at, double value) {
  if (count_ < most()) points_.emplace_back(at, value);
  if (holds_ == Holds::kBefore)
    hold(parts_, last_.first, at, value);
  else if (count_ > 0)
    hold(parts_, last_.first, at, last_.second);
  last_ = {at, value};
  ++count_;
}

std::int64_t BandSeries::edge(std::size_t part) const {
  return end_.count() * static_cast<std::int64_t>(part) / static_cast<std::int64_t>(parts_.size());
}

void BandSeries::hold(std::vector<Part>& parts, EmuTime from, EmuTime until, double value) const {
  if (end_ <= EmuTime(0)) return;
  const double share = static_cast<double>(from.count()) / static_cast<double>(end_.count());
  auto i = static_cast<std::size_t>(std::max(0.0, share * static_cast<double>(parts.size())));
  if (i > 0) --i;  // the division may have rounded up
  for (; i < parts.size() && edge(i) < until.count(); ++i) {
    const std::int64_t held =
        std::min(until.count(), edge(i + 1)) - std::max(from.count(), edge(i));
    if (held <= 0) continue;
    Part& part = parts[i];
    part.low = part.held_us == 0 ? value : std::min(part.low, value);
    part.high = part.held_us == 0 ? value : std::max(part.high, value);
    part.held_us += static_cast<double>(held);
    part.sum += value * static_cast<double>(held);
  }
}

Json BandSeries::json() const {
  Json times = Json::array(), values = Json::array();
  if (count_ <= most()) {
    for (const auto& [at, value] : points_) {
      times.push_back(page_seconds(at));
      values.push_back(value);
    }
    return {{"t", std::move(times)}, {"v", std::move(values)}};
  }
  std::vector<Part> parts = parts_;
  if (holds_ == Holds::kAfter) hold(parts, last_.first, end_, last_.second);
  Json low = Json::array(), high = Json::array();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (part.held_us == 0) continue;
    times.push_back(page_seconds(EmuTime((edge(i) + edge(i + 1)) / 2)));
    values.push_back(std::round(part.sum / part.held_us * 1e3) / 1e3);
    low.push_back(part.low);
    high.push_back(part.high);
  }
  return {{"t", std::move(times)},
          {"mean", std::move(values)},
          {"low", std::move(low)},
          {"high", std::move(high)}};
}

ResourceSeries::ResourceSeries(EmuTime end, int spans, BandSeries::Holds holds,
                               const CountNames& counted) {
  each({}, counted, [&](const std::string& name, auto) {
    series_.emplace_back(name, BandSeries(end, spans, holds));
  });
}

void ResourceSeries::add(EmuTime at, double cores, double bytes, const Counts& counts) {
  series_[0].second.add(at, std::round(cores * 1e3) / 1e3);
  series_[1].second.add(at, std::round(bytes));
  for (std::size_t i = 2; i < series_.size(); ++i)
    series_[i].second.add(at, static_cast<double>(counts[i - 2].count()) / 1e3);
}

Json ResourceSeries::json() const {
  Json json = Json::object();
  for (const auto& [name, series] : series_) json[name] = series.json();
  return json;
}

ClusterSeries::ClusterSeries(EmuTime end, std::size_t node_count, BandSeries::Holds holds,
                             const CountNames& counted)
    : cluster(end, kClusterSpans, holds, counted) {
  nodes.assign(std::min(node_count, kNodesShown), ResourceSeries(end, kNodeSpans, holds, counted));
}

Json ClusterSeries::json() const {
  if (cluster.empty()) return nullptr;
  Json all = Json::array();
  for (const ResourceSeries& node : nodes) all.push_back(node.json());
  return {{"cluster", cluster.json()}, {"nodes", std::move(all)}};
}

ClusterSeries allocated_series(const RunHistory& history) {
  if (history.attempt_count() == 0)
    return {history.end, history.scenario.cluster.nodes.size(), BandSeries::Holds::kAfter,
            history.scenario.cluster.resources};
  Held held(history);
  // The changes that the containers so far have ahead of them.
  std::priority_queue<Change, std::vector<Change>, std::greater<>> ahead;
  const auto take_until = [&](EmuTime time) {
    for (; !ahead.empty() && ahead.top().at <= time; ahead.pop()) held.take(ahead.top());
  };
  history.each_attempt([&](const AttemptRow& row) {
    const auto node = static_cast<std::size_t>(row.node.value);
    const Resources cores{row.held.cores, {}};
    const EmuTime end = row.held_until().value_or(history.end);
    take_until(row.allocated);
    held.take({row.allocated, node, row.held});
    ahead.push({end, node, Resources{} - row.held});
    for (const Span& span : row.suspended) {
      ahead.push({span.from, node, Resources{} - cores});
      ahead.push({span.until.value_or(end), node, cores});
    }
  });
  take_until(EmuTime(std::numeric_limits<std::int64_t>::max()));
  return std::move(held).series();
}

UsedSeries::UsedSeries(const RunHistory& history)
    : series_(history.end, history.scenario.cluster.nodes.size(), BandSeries::Holds::kBefore, {}),
      now_(history.scenario.cluster.nodes.size()) {
  for (auto row = history.nodes.rbegin(); row != history.nodes.rend(); ++row)
    if (row->event == "lost") losses_.emplace_back(row->at, row->node);
}

void UsedSeries::take(const UsageSample& sample) {
  for (; !losses_.empty() && losses_.back().first <= sample.at; losses_.pop_back())
    put(losses_.back().second, losses_.back().first, 0, 0);
  put(sample.node, sample.at, sample.cores, static_cast<double>(sample.memory.count()));
}

void UsedSeries::put(NodeId id, EmuTime at, double cores, double bytes) {
  const auto node = static_cast<std::size_t>(id.value);
  cores_ += cores - now_[node].first;
  bytes_ += bytes - now_[node].second;
  now_[node] = {cores, bytes};
  if (node < series_.nodes.size()) series_.nodes[node].add(at, cores, bytes);
  // A line that says how long its predecessor held can be late (driver/sample_filter.h). The
  // cluster's use then is as it was.
  if (at < newest_) return;
  newest_ = at;
  series_.cluster.add(at, std::max(0.0, cores_), std::max(0.0, bytes_));
}

}  // namespace heddle::report
