#include "report/timeline/lanes.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace heddle::report {
namespace {

template <class T>
using Lowest = std::priority_queue<T, std::vector<T>, std::greater<>>;

}  // namespace

std::vector<int> assign_lanes(const std::vector<Stretch>& stretches) {
  std::vector<std::size_t> order(stretches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return stretches[a].from < stretches[b].from;
  });
  std::vector<int> lanes(stretches.size());
  Lowest<std::pair<EmuTime, int>> busy;
  Lowest<int> free;
  int used = 0;
  for (std::size_t i : order) {
    const Stretch& stretch = stretches[i];
    while (!busy.empty() && busy.top().first <= stretch.from) {
      free.push(busy.top().second);
      busy.pop();
    }
    if (free.empty()) free.push(used++);
    lanes[i] = free.top();
    free.pop();
    busy.emplace(std::max(stretch.until, stretch.from + EmuTime(1)), lanes[i]);
  }
  return lanes;
}

Stretch whole_of(const AttemptRow& attempt, EmuTime end) {
  const EmuTime from = std::max(attempt.started.value_or(attempt.allocated), attempt.allocated);
  return {from, std::max(attempt.held_until().value_or(end), from)};
}

std::vector<LanePart> parts_of(const AttemptRow& attempt, EmuTime end) {
  const Stretch whole = whole_of(attempt, end);
  const EmuTime read =
      attempt.begun ? std::clamp(*attempt.begun, whole.from, whole.until) : whole.from;
  std::vector<LanePart> parts;
  EmuTime at = whole.from;
  const auto read_until = [&](EmuTime until) {
    until = std::min(until, read);
    if (at < until) parts.push_back({LanePart::Kind::kReading, {at, until}});
  };
  for (const Span& span : attempt.suspended) {
    const EmuTime from = std::clamp(span.from, at, whole.until);
    const EmuTime until = std::clamp(span.until.value_or(whole.until), from, whole.until);
    read_until(from);
    parts.push_back({LanePart::Kind::kSuspended, {from, until}});
    at = until;
  }
  read_until(read);
  if (attempt.kept)
    parts.push_back({LanePart::Kind::kKept, {std::max(at, *attempt.ended), whole.until}});
  return parts;
}

}  // namespace heddle::report
