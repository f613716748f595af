#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

// Effects of a scenario's faults, and the times of these effects. All functions are pure. Real runs
// and simulations use the same functions.

/// A fault that affects a share of a worker's heartbeats.
struct BeatRule {
  FaultKind kind = FaultKind::kLoseHeartbeats;
  double share = 1;
  EmuTime delay;
  std::uint64_t key = 0;
  friend bool operator==(const BeatRule&, const BeatRule&) = default;
};

/// The conditions under which a node runs, changed by faults.
struct NodeConditions {
  double speed = 1;  ///< factor on the node's normal speed
  bool disk_full = false;
  std::vector<BeatRule> beats;
  friend bool operator==(const NodeConditions&, const NodeConditions&) = default;
};

/// A time at which a fault hits a worker or the master, or changes the conditions of a node.
struct FaultMoment {
  EmuTime at;
  int fault = 0;               ///< index into Scenario::faults
  std::optional<NodeId> node;  ///< nullopt: the fault hits the master
  bool ends = false;           ///< the fault's conditions end
  NodeConditions conditions;   ///< the node's conditions from now on, from all its faults
};

/// Returns whether a fault of this kind changes a node's conditions for some time. Other faults act
/// only at one time.
bool changes_conditions(FaultKind kind);

/// Returns all moments, ordered by time, then by the fault's index in the scenario, and then by
/// node.
std::vector<FaultMoment> fault_moments(const Scenario& scenario);

/// Real time for which the master waits for a worker after its planned return from a fault.
inline constexpr real::Duration kReturnGrace = std::chrono::seconds(15);
/// The last fault that keeps a node's worker away from the master.
struct Absence {
  EmuTime since;
  std::optional<EmuTime> until;  ///< end of kReturnGrace; nullopt if the worker does not return
};
/// Returns the absence of the node's worker at `now`, or nullopt if no fault keeps it away. If
/// several faults have begun, the one that began last counts.
std::optional<Absence> absence(const Scenario& scenario, NodeId node, EmuTime now);

/// Returns the kills of the node's worker, in the order of time. Each entry is the delay after
/// which the worker is restarted, or nullopt if it is not restarted.
std::vector<std::optional<EmuTime>> planned_kills(const Scenario& scenario, NodeId node);

/// The effect of faults on one heartbeat.
struct BeatFate {
  bool lost = false;
  EmuTime delay;
  bool twice = false;
  friend bool operator==(const BeatFate&, const BeatFate&) = default;
};
/// Returns what the rules do to the heartbeat with this number. Heartbeats are numbered since the
/// worker got these rules.
BeatFate fate_of(const std::vector<BeatRule>& rules, std::int64_t number);

/// Returns the factor on the work of this attempt. Returns 1 if the attempt is no straggler.
double straggling(const Scenario& scenario, TaskId task, int attempt);
/// Reason reported for an attempt that a fault crashed.
inline constexpr const char* kCrashReason = "crashed: a fault of the scenario's";
/// Returns the progress at which a fault crashes this attempt. Returns nullopt if the attempt does
/// not crash.
std::optional<double> crash_of(const Scenario& scenario, TaskId task, int attempt);

}  // namespace heddle
