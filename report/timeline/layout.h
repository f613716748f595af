#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "report/history.h"
#include "report/timeline/lanes.h"

namespace heddle::report {

/// What becomes an event of a time line, in the order in which those of one moment stand: slices
/// first, and of these what holds others before them.
enum class TimelineKind {
  kJob,          ///< index: in TimelineLayout::jobs
  kWaiting,      ///< likewise
  kDecision,     ///< in moments
  kFault,        ///< in TimelineLayout::faults
  kReservation,  ///< in RunHistory::reservations
  kContainer,    ///< in RunHistory::attempts
  kPart,         ///< likewise
  kFlow,
  kFlowEnd,
  kKill,
  kLoss,        ///< in RunHistory::nodes
  kStrike,      ///< in RunHistory::faults
  kResumption,  ///< in RunHistory::resumptions
  kCounter      ///< in whatever has the counters' points
};

struct TimelineEntry {
  Stretch when;
  TimelineKind kind = TimelineKind::kJob;
  std::size_t index = 0;
  std::size_t part = 0;  ///< kPart: which

  /// To sort by: by time, slices before others, longer ones first.
  auto key() const {
    const bool slice = kind < TimelineKind::kFlow;
    return std::tuple(when.from, !slice, slice ? when.from - when.until : EmuTime(0), kind, index,
                      part);
  }
};

/// A fault of a node that lasts.
struct LastingFault {
  NodeId node;
  const FaultRow* row = nullptr;
  Stretch when;
};

/// Where on a time line all stands but for counters. Lanes count from 1.
struct TimelineLayout {
  std::vector<TimelineEntry> entries;  ///< in no order
  std::vector<std::size_t> jobs;       ///< of the summary, those that were submitted
  std::vector<int> job_lanes;          ///< of these
  std::map<EmuTime, std::vector<const DecisionRow*>> decisions;  ///< by moment
  std::vector<EmuTime> moments;
  std::vector<LastingFault> faults;
  std::vector<int> fault_lane;  ///< of these
  /// How many lanes a node has for faults, above these for reservations, and then for containers.
  std::vector<int> fault_lanes, reserved_lanes, container_lanes;
  std::vector<int> reservation_lane, attempt_lane;  ///< by index in the history
};

/// `history` must outlive what comes of it.
TimelineLayout lay_out(const RunHistory& history);

}  // namespace heddle::report
