#include "report/why/why.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "report/why/reason.h"

namespace heddle::report {
namespace {

void add(CauseTimes& times, const std::string& cause, EmuTime time) {
  auto it = std::find_if(times.begin(), times.end(),
                         [&](const auto& entry) { return entry.first == cause; });
  if (it == times.end())
    times.emplace_back(cause, time);
  else
    it->second += time;
}

void most_first(CauseTimes& times) {
  std::stable_sort(times.begin(), times.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
}

EmuTime span_of(const WaitInterval& interval) { return interval.until - interval.from; }

/// Intervals that are shown as one.
struct Group {
  EmuTime from, until;
  CauseTimes causes;                                   ///< the main one first
  std::map<std::string, const WaitInterval*> longest;  ///< by cause

  EmuTime span() const { return until - from; }
  const std::string& main() const { return causes.front().first; }
};

void absorb(Group& into, const Group& group) {
  into.until = group.until;
  for (const auto& [cause, time] : group.causes) add(into.causes, cause, time);
  most_first(into.causes);
  for (const auto& [cause, interval] : group.longest) {
    const WaitInterval*& known = into.longest[cause];
    // The last plan of a backfilling scheduler also tells what was promised before.
    const bool plan = std::holds_alternative<obstacle::Backfill>(interval->obstacles.front().what);
    if (!known || plan || span_of(*interval) > span_of(*known)) known = interval;
  }
}

}  // namespace

void WaitLog::at(EmuTime now, std::vector<Obstacle> obstacles) {
  while (!words_.empty() && words_.back().at >= now) words_.pop_back();
  if (!words_.empty() && words_.back().obstacles == obstacles) return;
  words_.push_back({now, std::move(obstacles)});
}

std::vector<WaitInterval> WaitLog::waits(EmuTime from, EmuTime until) const {
  std::vector<WaitInterval> found;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const EmuTime begin = std::max(words_[i].at, from);
    const EmuTime end = i + 1 < words_.size() ? std::min(words_[i + 1].at, until) : until;
    if (begin < end && !words_[i].obstacles.empty())
      found.push_back({begin, end, words_[i].obstacles});
  }
  return found;
}

std::vector<WaitInterval> WaitLog::all(EmuTime from, EmuTime until,
                                       const Obstacle& otherwise) const {
  std::vector<WaitInterval> whole;
  EmuTime at = from;
  const auto fill = [&](EmuTime end) {
    if (at < end) whole.push_back({at, end, {otherwise}});
  };
  for (WaitInterval& interval : waits(from, until)) {
    fill(interval.from);
    at = interval.until;
    whole.push_back(std::move(interval));
  }
  fill(until);
  return whole;
}

std::vector<std::string> losses_of(const Scenario& scenario, std::span<const NodeRow> nodes,
                                   std::span<const AttemptRow> attempts, JobId job) {
  std::vector<std::string> losses;
  for (const NodeRow& row : nodes) {
    if (row.event != "lost") continue;
    const auto lost = std::ranges::count_if(attempts, [&](const AttemptRow& attempt) {
      return attempt.phase.job == job && attempt.node == row.node && attempt.ended == row.at &&
             attempt.end && attempt.end->outcome == Outcome::kLost;
    });
    if (lost > 0)
      losses.push_back(fmt::format(
          "{} {} lost with {} at {:.2f} s: {}", lost, lost == 1 ? "attempt was" : "attempts were",
          scenario.cluster.nodes[row.node.value].name, to_seconds(row.at), row.reason));
  }
  return losses;
}

void tell_attempts(const JobSpec& job, std::span<const AttemptRow> attempts, EmuTime from,
                   WaitLog& log) {
  const auto spec = [&](const AttemptRow& row) -> const PhaseSpec& {
    return job.phases[row.phase.phase];
  };
  std::set<EmuTime> changes{from};
  for (const AttemptRow& row : attempts)
    for (const std::optional<EmuTime>& at : {std::optional(row.allocated), row.started, row.ended})
      if (at && *at > from) changes.insert(*at);
  for (EmuTime now : changes) {
    std::vector<Obstacle> starting;
    bool runs = false;
    for (const AttemptRow& row : attempts) {
      if (row.allocated > now || (row.ended && *row.ended <= now)) continue;
      if (!row.started || *row.started > now)
        starting.push_back(
            {row.phase, spec(row).request, obstacle::Starting{row.node, row.allocated}});
      else
        runs |= spec(row).kind != PhaseKind::kAm;
    }
    if (!runs && starting.empty()) starting.push_back({{}, {}, obstacle::Unknown{}});
    log.at(now, runs ? std::vector<Obstacle>() : std::move(starting));
  }
}

CauseTimes times_by_cause(const Scenario& scenario, std::span<const WaitInterval> intervals) {
  CauseTimes times;
  for (const WaitInterval& interval : intervals)
    add(times, reason_of(scenario, interval.obstacles.front()).cause, span_of(interval));
  most_first(times);
  return times;
}

std::vector<ShownWait> shown_waits(const Scenario& scenario,
                                   std::span<const WaitInterval> intervals, EmuTime flicker) {
  std::vector<Group> groups;
  for (const WaitInterval& interval : intervals) {
    const std::string cause = reason_of(scenario, interval.obstacles.front()).cause;
    Group group{interval.from, interval.until, {{cause, span_of(interval)}}, {{cause, &interval}}};
    // If there is a gap between two intervals, they are not merged, even if they are short.
    const bool beside = !groups.empty() && groups.back().until == group.from;
    if (beside && groups.back().main() == cause)
      absorb(groups.back(), group);
    else
      groups.push_back(std::move(group));
  }
  std::vector<Group> shown;
  for (Group& group : groups) {
    const bool beside = !shown.empty() && shown.back().until == group.from;
    if (beside && (shown.back().main() == group.main() || shown.back().span() < flicker ||
                   group.span() < flicker))
      absorb(shown.back(), group);
    else
      shown.push_back(std::move(group));
  }
  std::vector<ShownWait> waits;
  for (Group& group : shown) {
    const WaitInterval* main = group.longest.at(group.main());
    waits.push_back({group.from, group.until, main, std::move(group.causes)});
  }
  return waits;
}

}  // namespace heddle::report
