#include "report/timeline/counters.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/timeline/lanes.h"

namespace heddle::report {
namespace {

constexpr double kTenthsOfMiB = 10.0 / (1 << 20);

bool is_memory(Counter counter) {
  return counter == Counter::kMemoryAllocated || counter == Counter::kMemoryUsed ||
         counter == Counter::kMemoryOutside;
}
bool is_cores(Counter counter) {
  return counter == Counter::kCoresAllocated || counter == Counter::kCoresUsed ||
         counter == Counter::kCoresOutside;
}

/// Converts an amount to whole steps of the shown resolution.
std::int64_t shown(Counter counter, std::int64_t amount) {
  return is_memory(counter) ? std::llround(static_cast<double>(amount) * kTenthsOfMiB) : amount;
}
double value_of(Counter counter, std::int64_t steps) {
  const double value = static_cast<double>(steps);
  return is_memory(counter) ? value / 10 : is_cores(counter) ? value / 1e3 : value;
}

std::int64_t span_of(EmuTime at, EmuTime resolution) {
  return at.count() / std::max<std::int64_t>(resolution.count(), 1);
}

void count_attempt(const AttemptRow& attempt, EmuTime end, CounterTable& table) {
  const Stretch whole = whole_of(attempt, end);
  const std::int64_t millicores = attempt.held.cores.count();
  const auto cores = [&](EmuTime at, std::int64_t by) {
    table.change_node(attempt.node, Counter::kCoresAllocated, at, by);
  };
  cores(attempt.allocated, millicores);
  table.change_node(attempt.node, Counter::kMemoryAllocated, attempt.allocated,
                    attempt.held.memory.count());
  if (attempt.started) table.change_node(attempt.node, Counter::kContainers, whole.from, 1);
  for (const LanePart& part : parts_of(attempt, end)) {
    if (part.kind != LanePart::Kind::kSuspended) continue;
    cores(part.when.from, -millicores);
    cores(part.when.until, millicores);
  }
  if (attempt.ended && attempt.started)
    table.change_node(attempt.node, Counter::kContainers, *attempt.ended, -1);
  if (!attempt.held_until()) return;
  cores(whole.until, -millicores);
  table.change_node(attempt.node, Counter::kMemoryAllocated, whole.until,
                    -attempt.held.memory.count());
}

void count_job(const wire::Json& job, EmuTime end, CounterTable& table) {
  const EmuTime submit = eligible_of(job);
  const auto start = time_of(job.at("start_s")), finish = time_of(job.at("finish_s"));
  // A job that was cancelled could never be scheduled.
  if (submit > end || job.at("state") == "cancelled") return;
  const Track waiting{0, Counter::kJobsWaiting}, running{0, Counter::kJobsRunning};
  table.change(waiting, submit, 1);
  if (start) {
    table.change(waiting, *start, -1);
    table.change(running, *start, 1);
    if (finish) table.change(running, *finish, -1);
  } else if (finish) {
    table.change(waiting, *finish, -1);
  }
}

}  // namespace

void CounterTable::change(Track track, EmuTime at, std::int64_t by) {
  changes_.push_back({at, track.process * kCounters + static_cast<int>(track.counter), by});
}

void CounterTable::change_node(NodeId node, Counter counter, EmuTime at, std::int64_t by) {
  change({1 + static_cast<int>(node.value), counter}, at, by);
  change({0, counter}, at, by);
}

std::vector<CounterPoint> CounterTable::points(EmuTime resolution) const {
  std::vector<Change> changes = changes_;
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.track, a.at) < std::tie(b.track, b.at);
  });
  std::vector<CounterPoint> points;
  std::optional<std::int64_t> before;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    sum += change.by;
    const Change* next = i + 1 < changes.size() ? &changes[i + 1] : nullptr;
    const bool last = !next || next->track != change.track;
    const Track track{change.track / kCounters, static_cast<Counter>(change.track % kCounters)};
    const std::int64_t now = shown(track.counter, sum);
    if ((last || span_of(next->at, resolution) != span_of(change.at, resolution)) &&
        now != before) {
      points.push_back({change.at, track, value_of(track.counter, now)});
      before = now;
    }
    if (!last) continue;
    sum = 0;
    before.reset();
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const CounterPoint& a, const CounterPoint& b) { return a.at < b.at; });
  return points;
}

std::vector<CounterPoint> CounterTable::points(std::size_t most) const {
  std::vector<CounterPoint> all = points(EmuTime(0));
  if (all.size() <= most) return all;
  std::vector<int> tracks;
  for (const Change& change : changes_) tracks.push_back(change.track);
  std::sort(tracks.begin(), tracks.end());
  const auto count = std::unique(tracks.begin(), tracks.end()) - tracks.begin();
  const double span = static_cast<double>(all.back().at.count()) * static_cast<double>(count);
  return points(EmuTime(std::llround(std::ceil(span / static_cast<double>(most)))));
}

UseCounters::UseCounters(std::size_t nodes, const std::vector<NodeRow>& rows, EmuTime resolution,
                         CounterTable& table)
    : resolution_(resolution), table_(table), nodes_(nodes) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row)
    if (row->event == "lost") nodes_[row->node.value].losses.push_back(row->at);
}

void UseCounters::set(NodeId id, Counter counter, EmuTime at, std::int64_t& now,
                      std::int64_t value) {
  if (now != value) table_.change_node(id, counter, at, value - now);
  now = value;
}

void UseCounters::lose(NodeId id, EmuTime until) {
  Node& node = nodes_[id.value];
  while (!node.losses.empty() && node.losses.back() <= until) {
    const EmuTime at = node.losses.back();
    node.losses.pop_back();
    // The usage between the last sample and the loss of the node is unknown. Therefore, used cores
    // are 0 from the last sample on.
    set(id, Counter::kCoresUsed, std::min(node.at, at), node.millicores, 0);
    set(id, Counter::kMemoryUsed, at, node.bytes, 0);
    node.at = std::max(node.at, at);
  }
}

void UseCounters::take(const UsageSample& sample) {
  Node& node = nodes_[sample.node.value];
  lose(sample.node, sample.at);
  if (sample.at <= node.at) return;
  if (sample.at - node.at < resolution_) {
    node.skipped = Reading{sample.at, sample.cores, sample.memory};
    return;
  }
  // A node has no lines while nothing changes, so the last one before a gap counts.
  if (node.skipped && sample.at - node.skipped->at >= resolution_) set(sample.node, *node.skipped);
  set(sample.node, {sample.at, sample.cores, sample.memory});
  node.skipped.reset();
}

void UseCounters::set(NodeId id, const Reading& reading) {
  Node& node = nodes_[id.value];
  set(id, Counter::kCoresUsed, node.at, node.millicores, std::llround(reading.cores * 1e3));
  set(id, Counter::kMemoryUsed, reading.at, node.bytes, reading.memory.count());
  node.at = reading.at;
}

void UseCounters::finish() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeId id{static_cast<std::int64_t>(i)};
    lose(id, EmuTime(INT64_MAX));
    set(id, Counter::kCoresUsed, nodes_[i].at, nodes_[i].millicores, 0);
  }
}

void count_history(const RunHistory& history, CounterTable& table) {
  // Counters start at 0, so idle nodes have a track too.
  for (std::size_t i = 0; i <= history.scenario.cluster.nodes.size(); ++i)
    for (Counter counter :
         {Counter::kCoresAllocated, Counter::kMemoryAllocated, Counter::kContainers})
      table.change({static_cast<int>(i), counter}, EmuTime(0), 0);
  for (const AttemptRow& attempt : history.attempts) count_attempt(attempt, history.end, table);
  for (const wire::Json& job : history.summary.at("jobs")) count_job(job, history.end, table);
  std::vector<Resources> outside(history.scenario.cluster.nodes.size());
  for (const NodeRow& row : history.nodes) {
    if (row.event != "load") continue;
    Resources& now = outside[row.node.value];
    table.change_node(row.node, Counter::kCoresOutside, row.at,
                      (row.load.cores - now.cores).count());
    table.change_node(row.node, Counter::kMemoryOutside, row.at,
                      (row.load.memory - now.memory).count());
    now = row.load;
  }
}

}  // namespace heddle::report
