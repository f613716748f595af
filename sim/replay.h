#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "core/engine.h"
#include "wire/journal_steps.h"

namespace heddle::sim {

/// A step whose outcome differs from the journal's. Lines are as in the journal, without step and
/// wall.
struct ReplayDifference {
  std::int64_t step = 0;
  EmuTime now;
  std::vector<wire::Json> events;
  std::vector<wire::Json> journal;  ///< outcome that was recorded
  std::vector<wire::Json> engine;   ///< outcome of the replay
};

/// Formats a difference for people: time, events, and the two outcomes line below line.
std::string format_difference(const ReplayDifference& difference);

/// Replays a journal: feeds its events, step by step, through a fresh engine and compares the
/// outcome with the journal's. The outcome is the actions with their reasons, the engine's
/// refusals, the policy's state and the jobs that finished. Records come one by one, in the
/// journal's order; one step of them is held at a time.
///
/// A journal may end at any line. The rest of the last step's outcome may be missing, unless the
/// run had come to the point where nothing was decided any more. If a run was resumed, its journal
/// simply continues.
class Replay {
 public:
  /// `scenario` (resolved) must outlive the replay.
  explicit Replay(const Scenario& scenario);
  /// Replays with `policy`, which decides as the scenario's policy does (and may look at more).
  Replay(const Scenario& scenario, std::unique_ptr<Policy> policy);

  /// Takes a record. Does nothing once there is a difference. Errors: kUsage for a journal that
  /// can't be replayed (no heartbeats although scheduling happens on them), kAborted for one that
  /// contradicts itself or the scenario.
  Result<void> add(const wire::Json& record);
  /// Ends the replay after the last record.
  Result<void> finish();

  const std::optional<ReplayDifference>& difference() const { return difference_; }
  /// Returns the state as of the last step that was replayed.
  const ClusterState& state() const { return engine_.state(); }
  std::int64_t steps() const { return steps_; }      ///< replayed with the same outcome
  std::int64_t events() const { return events_; }    ///< of these steps
  std::int64_t actions() const { return actions_; }  ///< that followed from them

 private:
  Result<void> replay(Result<std::optional<wire::RecordedStep>> recorded, bool whole);

  wire::JournalSteps journal_;
  Engine engine_;
  std::optional<ReplayDifference> difference_;
  std::int64_t steps_ = 0;
  std::int64_t events_ = 0;
  std::int64_t actions_ = 0;
};

}  // namespace heddle::sim
