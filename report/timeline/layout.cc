#include "report/timeline/layout.h"

#include <algorithm>

namespace heddle::report {
namespace {

using wire::Json;
using Kind = TimelineKind;

constexpr EmuTime kMoment{1};

void place_jobs(const RunHistory& history, TimelineLayout& layout) {
  const Json& jobs = history.summary.at("jobs");
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const EmuTime submit = eligible_of(jobs[i]);
    if (submit > history.end) continue;
    const EmuTime finish = std::max(time_of(jobs[i].at("finish_s")).value_or(history.end), submit);
    const EmuTime start =
        std::clamp(time_of(jobs[i].at("start_s")).value_or(finish), submit, finish);
    const std::size_t index = layout.jobs.size();
    layout.jobs.push_back(i);
    stretches.push_back({submit, finish});
    layout.entries.push_back({{submit, finish}, Kind::kJob, index});
    if (start > submit) layout.entries.push_back({{submit, start}, Kind::kWaiting, index});
  }
  layout.job_lanes = assign_lanes(stretches);
  for (int& lane : layout.job_lanes) ++lane;
}

void place_decisions(const RunHistory& history, TimelineLayout& layout) {
  for (const DecisionRow& row : history.decisions) layout.decisions[row.at].push_back(&row);
  for (const auto& [at, rows] : layout.decisions) {
    layout.entries.push_back({{at, at + kMoment}, Kind::kDecision, layout.moments.size()});
    layout.moments.push_back(at);
  }
}

/// Returns the lane of each row. All rows are on nodes. The lanes of a node begin after the number
/// of lanes that `below` has for the node. `lanes` receives the number of lanes of each node.
template <class Row, class When>
std::vector<int> lanes_by_node(const std::vector<Row>& rows, const std::vector<int>& below,
                               std::vector<int>& lanes, const When& when) {
  std::vector<std::vector<Stretch>> stretches(below.size());
  std::vector<std::vector<std::size_t>> of(below.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto node = static_cast<std::size_t>(rows[i].node.value);
    stretches[node].push_back(when(rows[i]));
    of[node].push_back(i);
  }
  std::vector<int> lane_of(rows.size());
  lanes.assign(below.size(), 0);
  for (std::size_t node = 0; node < below.size(); ++node) {
    const std::vector<int> assigned = assign_lanes(stretches[node]);
    for (std::size_t i = 0; i < assigned.size(); ++i) {
      lane_of[of[node][i]] = below[node] + assigned[i] + 1;
      lanes[node] = std::max(lanes[node], assigned[i] + 1);
    }
  }
  return lane_of;
}

void place_faults(const RunHistory& history, TimelineLayout& layout) {
  for (std::size_t i = 0; i < history.faults.size(); ++i) {
    const FaultRow& row = history.faults[i];
    const Stretch when{row.span.from,
                       std::max(row.span.until.value_or(history.end), row.span.from)};
    if (!row.node || row.strikes_once()) {
      layout.entries.push_back({{when.from, when.from}, Kind::kStrike, i});
      continue;
    }
    layout.entries.push_back({when, Kind::kFault, layout.faults.size()});
    layout.faults.push_back({*row.node, &row, when});
  }
  layout.fault_lane =
      lanes_by_node(layout.faults, std::vector<int>(history.scenario.cluster.nodes.size()),
                    layout.fault_lanes, [](const LastingFault& fault) { return fault.when; });
  for (std::size_t i = 0; i < history.resumptions.size(); ++i) {
    const EmuTime at = history.resumptions[i].at;
    layout.entries.push_back({{at, at}, Kind::kResumption, i});
  }
}

void place_reservations(const RunHistory& history, TimelineLayout& layout) {
  const auto when = [&](const ReservationRow& row) {
    return Stretch{row.span.from, std::max(row.span.until.value_or(history.end), row.span.from)};
  };
  layout.reservation_lane =
      lanes_by_node(history.reservations, layout.fault_lanes, layout.reserved_lanes, when);
  for (std::size_t i = 0; i < history.reservations.size(); ++i)
    layout.entries.push_back({when(history.reservations[i]), Kind::kReservation, i});
}

void place_attempt(const RunHistory& history, std::size_t i, TimelineLayout& layout) {
  const AttemptRow& row = history.attempts[i];
  const Stretch whole = whole_of(row, history.end);
  layout.entries.push_back({whole, Kind::kContainer, i});
  const std::vector<LanePart> parts = parts_of(row, history.end);
  for (std::size_t part = 0; part < parts.size(); ++part)
    layout.entries.push_back({parts[part].when, Kind::kPart, i, part});
  if (row.started && layout.decisions.contains(row.allocated)) {
    layout.entries.push_back({{row.allocated, row.allocated}, Kind::kFlow, i});
    layout.entries.push_back({{whole.from, whole.from}, Kind::kFlowEnd, i});
  }
  if (row.end && row.end->outcome == Outcome::kOomKilled)
    layout.entries.push_back({{*row.ended, *row.ended}, Kind::kKill, i});
}

void place_attempts(const RunHistory& history, TimelineLayout& layout) {
  const auto when = [&](const AttemptRow& row) { return whole_of(row, history.end); };
  std::vector<int> below = layout.fault_lanes;
  for (std::size_t node = 0; node < below.size(); ++node)
    below[node] += layout.reserved_lanes[node];
  layout.attempt_lane = lanes_by_node(history.attempts, below, layout.container_lanes, when);
  for (std::size_t i = 0; i < history.attempts.size(); ++i) place_attempt(history, i, layout);
}

}  // namespace

TimelineLayout lay_out(const RunHistory& history) {
  TimelineLayout layout;
  place_jobs(history, layout);
  place_decisions(history, layout);
  place_faults(history, layout);
  place_reservations(history, layout);
  place_attempts(history, layout);
  for (std::size_t i = 0; i < history.nodes.size(); ++i)
    if (const NodeRow& row = history.nodes[i]; row.event == "lost")
      layout.entries.push_back({{row.at, row.at}, Kind::kLoss, i});
  return layout;
}

}  // namespace heddle::report
