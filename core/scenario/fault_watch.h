#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/scenario/faults.h"

namespace heddle {

/// Real time for which a run waits for workers that no fault of the scenario keeps away, unless the
/// user chooses another time (--patience).
inline constexpr real::Duration kWorkerPatience = std::chrono::seconds(60);

/// Tracks which of the scenario's faults have occurred, and which lost nodes are expected back.
/// Real runs and simulations both use this class. Pure: emulated time is passed in.
///
/// A lost node is expected back within the patience, which begins with its loss. If a fault keeps
/// the node's worker away, the node is expected back until kReturnGrace after the end of the fault
/// if that is later, or never.
class FaultWatch {
 public:
  /// `scenario` (emulation resolved) must outlive the object.
  explicit FaultWatch(const Scenario& scenario, real::Duration patience = kWorkerPatience);

  /// Returns the next moment that is due, or nullptr if no moment is due. Returns each moment once.
  const FaultMoment* take(EmuTime now);

  /// Returns the current conditions of the node, or nullptr if no fault has changed them yet.
  const NodeConditions* conditions(NodeId node) const;

  /// Records that the node is lost now. Returns whether the node is expected back. If so, the node
  /// is awaited.
  bool lost(NodeId node, EmuTime now);
  void back(NodeId node, EmuTime now);
  void give_up(NodeId node) { awaited_.erase(node); }
  /// Records that no worker comes back. From now on, take_missing() returns all nodes that were
  /// awaited, and no further node is awaited.
  void expect_none();
  bool expects_none() const { return expects_none_; }
  /// Notes that nothing could be heard of any worker for the real time `length`. The run waits for
  /// awaited nodes for this much longer.
  void note_stall(real::Duration length);
  /// Returns the awaited nodes that did not return in time. After the call, they are not awaited.
  std::vector<NodeId> take_missing(EmuTime now);
  bool awaits() const { return !awaited_.empty(); }
  /// Returns until when the last node is awaited, or nullopt if each awaited node was lost by a
  /// fault of the scenario.
  std::optional<EmuTime> patient_until() const;

  /// Returns the next time at which take() or take_missing() returns something. Returns nullopt if
  /// there is no such time.
  std::optional<EmuTime> next_time() const {
    if (next_ == moments_.size() && awaited_.empty()) return std::nullopt;
    return next_of_all();
  }

 private:
  struct Awaited {
    EmuTime until;
    bool by_fault = false;  ///< a fault of the scenario brings the worker back
  };
  std::optional<EmuTime> next_of_all() const;

  const Scenario& scenario_;
  real::Duration patience_;
  std::vector<FaultMoment> moments_;
  std::size_t next_ = 0;
  std::map<NodeId, NodeConditions> conditions_;
  std::map<NodeId, EmuTime> since_;  ///< when a node was registered again
  std::map<NodeId, Awaited> awaited_;
  bool expects_none_ = false;
};

}  // namespace heddle
