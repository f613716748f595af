#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/scenario/faults.h"

namespace heddle {

/// Real time for which a run waits for workers that no fault of the scenario keeps away, unless the
/// user chooses another time (--patience).
inline constexpr real::Duration kWorkerPatience = std::chrono::seconds(60);

/// Tracks which of the scenario's faults have occurred, and which lost nodes are expected back.
/// Real runs and simulations both use this class. Pure: emulated time is passed in.
///
/// If a fault keeps the node's worker away, the node is expected back kReturnGrace after the end of
/// the fault, or never. If no fault explains the loss, it is expected back within the patience. The
/// patience begins with the loss of the node, and for all such nodes again when no node is left.
/// They are then given up together.
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
  /// Records that no worker comes back unless a fault of the scenario restarts it. From now on,
  /// take_missing() returns the nodes that were awaited without a fault.
  void expect_none();
  /// Returns the awaited nodes that did not return in time. After the call, they are not awaited.
  std::vector<NodeId> take_missing(EmuTime now);
  bool awaits() const { return !awaited_.empty(); }
  /// Returns whether a node is awaited that was lost without a fault.
  bool is_patient() const;
  real::Duration patience() const { return patience_; }

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
  void set_patience_to_end(EmuTime until);

  const Scenario& scenario_;
  real::Duration patience_;
  std::vector<FaultMoment> moments_;
  std::size_t next_ = 0;
  std::map<NodeId, NodeConditions> conditions_;
  std::map<NodeId, EmuTime> since_;  ///< when a node was registered again
  std::set<NodeId> lost_;            ///< and not back
  std::map<NodeId, Awaited> awaited_;
};

}  // namespace heddle
