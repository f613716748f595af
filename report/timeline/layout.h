#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "report/history.h"
#include "report/timeline/lanes.h"

namespace heddle::report {

/// Kinds of events of a timeline. Events of the same time are in this order. Slices come first, and
/// a slice comes before the slices within it.
enum class TimelineKind {
  kJob,          ///< index in TimelineLayout::jobs
  kWaiting,      ///< index in TimelineLayout::jobs
  kDecision,     ///< index in TimelineLayout::moments
  kFault,        ///< index in TimelineLayout::faults
  kReservation,  ///< index in RunHistory::reservations
  kContainer,    ///< index in RunHistory::attempts
  kPart,         ///< index in RunHistory::attempts
  kFlow,
  kFlowEnd,
  kKill,
  kLoss,        ///< index in RunHistory::nodes
  kStrike,      ///< index in RunHistory::faults
  kResumption,  ///< index in RunHistory::resumptions
  kCounter      ///< index in the list of the counters' points
};

struct TimelineEntry {
  Stretch when;
  TimelineKind kind = TimelineKind::kJob;
  std::size_t index = 0;
  std::size_t part = 0;  ///< kPart: index of the part

  /// Sort key. Events are sorted by time. At the same time, slices come before other events, and
  /// longer slices before shorter ones.
  auto key() const {
    const bool slice = kind < TimelineKind::kFlow;
    return std::tuple(when.from, !slice, slice ? when.from - when.until : EmuTime(0), kind, index,
                      part);
  }
};

/// A fault of a node that has a duration.
struct LastingFault {
  NodeId node;
  const FaultRow* row = nullptr;
  Stretch when;
};

/// Places of everything on a timeline except counters. Lanes count from 1.
struct TimelineLayout {
  std::vector<TimelineEntry> entries;  ///< unsorted
  std::vector<std::size_t> jobs;       ///< submitted jobs, as indexes into the jobs of the summary
  std::vector<int> job_lanes;          ///< by index in `jobs`
  std::map<EmuTime, std::vector<const DecisionRow*>> decisions;  ///< by time
  std::vector<EmuTime> moments;
  std::vector<LastingFault> faults;
  std::vector<int> fault_lane;  ///< by index in `faults`
  /// Number of lanes of each node for faults, for reservations and for containers. The lanes for
  /// reservations follow the lanes for faults, and the lanes for containers come last.
  std::vector<int> fault_lanes, reserved_lanes, container_lanes;
  std::vector<int> reservation_lane, attempt_lane;  ///< by index in the history
};

/// Computes the layout. `history` must outlive the result.
TimelineLayout lay_out(const RunHistory& history);

}  // namespace heddle::report
