#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

// Effects of a scenario's faults, and their times. Pure, and the same in real and in virtual time.

/// A rule for some of a worker's heartbeats: the kind of fault, and the share of heartbeats
/// affected.
struct BeatRule {
  FaultKind kind = FaultKind::kLoseHeartbeats;
  double share = 1;
  EmuTime delay;
  std::uint64_t key = 0;
  friend bool operator==(const BeatRule&, const BeatRule&) = default;
};

/// The conditions of a node, valid until they change.
struct NodeConditions {
  double speed = 1;  ///< factor on the node's own speed
  bool disk_full = false;
  std::vector<BeatRule> beats;
  friend bool operator==(const NodeConditions&, const NodeConditions&) = default;
};

/// A moment at which a worker or the master is hit, or the conditions of a node change.
struct FaultMoment {
  EmuTime at;
  int fault = 0;               ///< index into Scenario::faults
  std::optional<NodeId> node;  ///< nullopt: the fault hits the master
  bool ends = false;           ///< the fault's conditions end
  NodeConditions conditions;   ///< the node's conditions from now on, with all its faults
};

/// Returns whether the fault changes a node's conditions. Other faults strike once.
bool changes_conditions(FaultKind kind);

/// Returns all moments, by time, then in the order of the scenario, then by node.
std::vector<FaultMoment> fault_moments(const Scenario& scenario);

/// Returns when the node's worker will be back, if a fault that began by `now` keeps it away for a
/// limited time. If there are several such faults, the last one begun counts. The result may lie in
/// the past.
std::optional<EmuTime> planned_return(const Scenario& scenario, NodeId node, EmuTime now);
/// Real time that a worker may take to be back after its planned return.
inline constexpr real::Duration kReturnGrace = std::chrono::seconds(15);
/// Returns how long the node, lost at `now`, is awaited; nullopt: it is not.
std::optional<EmuTime> awaited_until(const Scenario& scenario, NodeId node, EmuTime now);

/// Returns the kills of the node's worker, by time. Each entry is the delay until the worker is
/// restarted, or nullopt if it is not.
std::vector<std::optional<EmuTime>> planned_kills(const Scenario& scenario, NodeId node);

/// The fate of one heartbeat.
struct BeatFate {
  bool lost = false;
  EmuTime delay;
  bool twice = false;
  friend bool operator==(const BeatFate&, const BeatFate&) = default;
};
/// Returns the fate of the heartbeat with this number, counted since the worker got these rules.
BeatFate fate_of(const std::vector<BeatRule>& rules, std::int64_t number);

/// Returns the factor on the work of this attempt; 1 if it is no straggler.
double straggling(const Scenario& scenario, TaskId task, int attempt);
/// Reason reported for an attempt that a fault crashed.
inline constexpr const char* kCrashReason = "crashed: a fault of the scenario's";
/// Returns the progress at which this attempt crashes, if it does.
std::optional<double> crash_of(const Scenario& scenario, TaskId task, int attempt);

}  // namespace heddle
