#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/result.h"
#include "core/engine.h"
#include "wire/journal_steps.h"

namespace heddle::sim {

/// A step whose outcome in the replay differs from its outcome in the journal. Each Json is one
/// line of the journal, without the fields that do not affect decisions (wire::bare()).
struct ReplayDifference {
  std::int64_t step = 0;
  EmuTime now;
  std::vector<wire::Json> events;
  std::vector<wire::Json> journal;  ///< outcome that was recorded
  std::vector<wire::Json> engine;   ///< outcome of the replay
};

/// Formats a difference for people. The text has the time, the events, and the lines of the two
/// outcomes.
std::string format_difference(const ReplayDifference& difference);

/// Replays a journal. Passes the events of each step to a new engine, and compares the outcome of
/// the step with the outcome in the journal. The outcome consists of the actions with their
/// reasons, the engine's refusals, the policy's state and the jobs that finished. Records are added
/// one by one, in the order of the journal. The replay keeps the records of only one step in
/// memory.
///
/// A journal can end at any line. Lines of the last step's outcome are allowed to be missing,
/// unless a line `leaving` or `end` follows the step. If a run was resumed, its journal continues
/// after the line `resumed`.
class Replay {
 public:
  /// `scenario` (resolved) must outlive the replay.
  explicit Replay(const Scenario& scenario);
  /// Replays with `policy`. It must make the same decisions as the scenario's policy, and can also
  /// record data.
  Replay(const Scenario& scenario, std::unique_ptr<Policy> policy);

  /// Adds a record. Does nothing after a difference was found. Errors: kUsage if the journal can't
  /// be replayed because it has no heartbeats and scheduling happens on heartbeats; kAborted if the
  /// journal contradicts itself or the scenario.
  Result<void> add(const wire::Json& record);
  /// Ends the replay after the last record.
  Result<void> finish();

  const std::optional<ReplayDifference>& difference() const { return difference_; }
  /// Returns the state as of the last step that was replayed.
  const ClusterState& state() const { return engine_.state(); }
  std::int64_t steps() const { return steps_; }      ///< steps that had the same outcome
  std::int64_t events() const { return events_; }    ///< events of these steps
  std::int64_t actions() const { return actions_; }  ///< actions of these steps

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
