#pragma once

#include <optional>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle {

/// What breaks (docs/faults.md).
enum class FaultKind {
  kKillWorker,
  kKillMaster,
  kFreezeWorker,
  kPartition,
  kSlowNode,
  kFullDisk,
  kLoseHeartbeats,
  kDelayHeartbeats,
  kDuplicateHeartbeats,
  kCrashTask,
  kStraggle
};

/// One line of `faults`. Which fields count depends on the kind: of a worker's or node's fault
/// nodes, at and what it takes; of tasks' (kCrashTask, kStraggle) job to attempt and share.
struct FaultSpec {
  FaultKind kind = FaultKind::kKillWorker;
  std::vector<NodeId> nodes;  ///< ascending; none of the master's and of tasks' faults
  EmuTime at;
  std::optional<EmuTime> lasts;          ///< nullopt: to the end of the run
  std::optional<EmuTime> restart_after;  ///< kKillWorker; nullopt: it stays away
  double factor = 1;                     ///< kSlowNode: of its speed; kStraggle: of the work
  double share = 1;          ///< of heartbeats or tasks that it happens to, drawn from the seed
  EmuTime delay;             ///< kDelayHeartbeats
  std::optional<JobId> job;  ///< nullopt: every one
  std::optional<int> phase;  ///< of that job; nullopt: every one
  std::optional<int> task;   ///< of that phase; nullopt: every one
  int attempt = 1;           ///< the one that it happens to
  double progress = 0.5;     ///< kCrashTask: when
  friend bool operator==(const FaultSpec&, const FaultSpec&) = default;
};

}  // namespace heddle
