#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

// What comes of a scenario's faults, and when: pure, and the same for real and in virtual time.

/// What happens to some of a worker's heartbeats: a kind of fault, and whom it takes.
struct BeatRule {
  FaultKind kind = FaultKind::kLoseHeartbeats;
  double share = 1;
  EmuTime delay;
  std::uint64_t key = 0;
  friend bool operator==(const BeatRule&, const BeatRule&) = default;
};

/// What holds on a node for as long as it is not said otherwise.
struct NodeConditions {
  double speed = 1;  ///< times the node's own
  bool disk_full = false;
  std::vector<BeatRule> beats;
  friend bool operator==(const NodeConditions&, const NodeConditions&) = default;
};

/// A worker or the master is struck, or the conditions of a node change.
struct FaultMoment {
  EmuTime at;
  int fault = 0;               ///< index into Scenario::faults
  std::optional<NodeId> node;  ///< nullopt: it is the master
  bool ends = false;           ///< conditions that the fault brought are over
  NodeConditions conditions;   ///< of the node from now on, all its faults together
};

/// True if the fault changes a node's conditions; else it strikes once.
bool changes_conditions(FaultKind kind);

/// Every one, by time, then in the order written, then by node.
std::vector<FaultMoment> fault_moments(const Scenario& scenario);

/// When the node's worker will be back, if a fault that has begun by `now` keeps it away for a
/// while: the one that began last. It may lie in the past.
std::optional<EmuTime> planned_return(const Scenario& scenario, NodeId node, EmuTime now);
/// After that time, how long a worker may take to be back, real.
inline constexpr real::Duration kReturnGrace = std::chrono::seconds(15);
/// The time until which the node, lost at `now`, is waited for; nullopt: it is not.
std::optional<EmuTime> awaited_until(const Scenario& scenario, NodeId node, EmuTime now);

/// The kills of the node's worker, by time: after which time it is started anew, if ever.
std::vector<std::optional<EmuTime>> planned_kills(const Scenario& scenario, NodeId node);

/// What becomes of one heartbeat.
struct BeatFate {
  bool lost = false;
  EmuTime delay;
  bool twice = false;
  friend bool operator==(const BeatFate&, const BeatFate&) = default;
};
/// Of the heartbeat with this number, counted since the worker has had these rules.
BeatFate fate_of(const std::vector<BeatRule>& rules, std::int64_t number);

/// How many times the work of this attempt is what it would be; 1 if it is no straggler.
double straggling(const Scenario& scenario, TaskId task, int attempt);
/// What is said of an attempt that crashed by a fault, and its exit status.
inline constexpr const char* kCrashReason = "crashed: a fault of the scenario's";
/// The progress at which this attempt crashes, if it does.
std::optional<double> crash_of(const Scenario& scenario, TaskId task, int attempt);

}  // namespace heddle
