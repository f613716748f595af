#include "cli/display/event_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace heddle::cli {
namespace {

using wire::EventKind;

std::size_t index_of(EventKind kind) { return static_cast<std::size_t>(kind); }

}  // namespace

bool is_printed(EventKind kind) { return kind != EventKind::kJob; }

std::string events_text(EventKind kind, std::int64_t count) {
  const auto text = [&](const char* one, const char* many) {
    return fmt::format("{} more {}", count, count == 1 ? one : many);
  };
  switch (kind) {
    case EventKind::kNode:
      return text("event of a node", "events of nodes");
    case EventKind::kMemoryKill:
      return text("memory kill", "memory kills");
    case EventKind::kFault:
      return text("begin or end of a fault", "begins and ends of faults");
    case EventKind::kSuspension:
      return text("suspension or resumption", "suspensions and resumptions");
    case EventKind::kRetry:
      return text("retry", "retries");
    case EventKind::kFailedJob:
      return text("failed job", "failed jobs");
    case EventKind::kJob:
      return text("start or completion of a job", "starts and completions of jobs");
    case EventKind::kNotice:
      return text("notice", "notices");
  }
  return "";
}

void EventLines::count(Kind& kind, std::int64_t events, Time now) {
  if (events <= 0) return;
  if (kind.counted == 0) kind.since = now;
  kind.counted += events;
}

std::vector<std::string> EventLines::take(const wire::Progress& p, Time now) {
  std::vector<std::string> lines;
  // The newest events of each kind are in last_events, the others were missed.
  std::array<std::int64_t, wire::kEventKinds> shown{};
  for (const EventKind kind : p.last_kinds) ++shown[index_of(kind)];
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const std::int64_t missed = p.events_of_kind[i] - kinds_[i].seen - shown[i];
    if (is_printed(static_cast<EventKind>(i))) count(kinds_[i], missed, now);
    kinds_[i].seen = std::max(kinds_[i].seen, p.events_of_kind[i] - shown[i]);
  }
  // How many events of each kind came before the event that the loop has reached.
  std::array<std::int64_t, wire::kEventKinds> before{};
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = p.events_of_kind[i] - shown[i];
  for (std::size_t i = 0; i < p.last_events.size(); ++i) {
    const EventKind which = p.last_kinds[i];
    Kind& kind = kinds_[index_of(which)];
    if (before[index_of(which)]++ < kind.seen) continue;
    ++kind.seen;
    if (!is_printed(which)) continue;
    while (!kind.printed.empty() && now - kind.printed.front() >= std::chrono::seconds(1))
      kind.printed.pop_front();
    if (kind.printed.size() < kMostPerSecond) {
      kind.printed.push_back(now);
      lines.push_back(p.last_events[i]);
    } else {
      count(kind, 1, now);
    }
  }
  now_s_ = p.now_s;
  for (std::string& line : sums(now, p.final)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> EventLines::sums(Time now, bool all) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    Kind& kind = kinds_[i];
    if (kind.counted == 0 || (now - kind.since < kSumInterval && !all)) continue;
    const double seconds = std::chrono::duration<double>(now - kind.since).count();
    lines.push_back(fmt::format("{:.1f} s  {} in the last {} s", now_s_,
                                events_text(static_cast<EventKind>(i), kind.counted),
                                std::max(1LL, std::llround(seconds))));
    kind.counted = 0;
  }
  return lines;
}

void EventLines::restart() {
  for (Kind& kind : kinds_) kind.seen = 0;
}

}  // namespace heddle::cli
