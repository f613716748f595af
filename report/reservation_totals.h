#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "report/run_rows.h"

namespace heddle::report {

/// Follows the reservations of nodes for phases.
class ReservationTotals {
 public:
  /// `rows`, if not null, must outlive the object. It gets the reservations that have ended.
  explicit ReservationTotals(RunRows* rows) : rows_(rows) {}

  void begin(NodeId node, PhaseId phase, EmuTime at);
  /// Says that the node's reservation was moved there from another node. It counts as one with the
  /// reservation of that node. REQUIRES: the node is reserved.
  void moved(NodeId node);
  /// Ends the node's reservation, if it has one.
  void end(NodeId node, EmuTime at);
  /// Ends the node's reservation if it is for this phase.
  void end(NodeId node, PhaseId phase, EmuTime at);
  /// Ends the reservations of the phases from `from` up to, but without, `until`.
  void end_all(PhaseId from, PhaseId until, EmuTime at);
  /// Ends the journal: adds rows for the reservations that still exist.
  void finish();

  std::int64_t count() const { return count_; }
  /// Returns for how long reservations were held, up to `until`.
  EmuTime held(EmuTime until) const;

 private:
  RunRows* rows_;
  std::map<NodeId, ReservationRow> now_;
  std::set<std::pair<PhaseId, NodeId>> by_phase_;  ///< the same
  EmuTime ended_;                                  ///< time of those that have ended
  std::int64_t count_ = 0;
};

}  // namespace heddle::report
