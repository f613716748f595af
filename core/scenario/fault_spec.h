#pragma once

#include <optional>
#include <vector>

#include "common/ids.h"
#include "common/units.h"

namespace heddle {

/// Kinds of faults (docs/how-to/faults.md).
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

/// A fault of the scenario: an entry of `faults`. The kind determines which fields are used. Faults
/// of workers and nodes use `nodes`, `at` and the fields of their kind. Faults of tasks
/// (kCrashTask, kStraggle) use `share` and the fields from `job` to `attempt`.
struct FaultSpec {
  FaultKind kind = FaultKind::kKillWorker;
  std::vector<NodeId> nodes;  ///< ascending; empty for faults of the master and of tasks
  EmuTime at;
  std::optional<EmuTime> lasts;          ///< nullopt: until the end of the run
  std::optional<EmuTime> restart_after;  ///< kKillWorker; nullopt: the worker stays away
  double factor = 1;                     ///< factor on the speed (kSlowNode) or work (kStraggle)
  double share = 1;          ///< share of affected heartbeats or tasks, drawn from the seed
  EmuTime delay;             ///< kDelayHeartbeats
  std::optional<JobId> job;  ///< nullopt: every job
  std::optional<int> phase;  ///< phase of that job; nullopt: every phase
  std::optional<int> task;   ///< task of that phase; nullopt: every task
  int attempt = 1;           ///< number of the affected attempt
  double progress = 0.5;     ///< kCrashTask: progress at the crash
  friend bool operator==(const FaultSpec&, const FaultSpec&) = default;
};

}  // namespace heddle
