#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "common/result.h"
#include "core/engine.h"
#include "wire/fields.h"

namespace heddle::wire {

/// One step of the engine as a journal has it.
struct RecordedStep {
  std::int64_t number = 0;
  EmuTime now;
  /// What the engine took. After a run has been resumed, what was recorded while it was leaving
  /// comes first.
  std::vector<Event> events;
  std::vector<Json> event_lines;  ///< of each of these; as bare() has them
  std::vector<Json> outcome;      ///< likewise
};

/// As it is compared and shown: without what says nothing about the decision.
Json bare(const Json& record);
/// An outcome line that is no action.
bool is_result(const Json& record);
/// Whatever the order of their fields.
bool same(const Json& a, const Json& b);
/// True if the lines are those of `outcome`, or, unless they are `whole`, the first of them.
bool agree(const std::vector<Json>& journal, const std::vector<Json>& outcome, bool whole);

/// Puts the records of a journal, given one by one in its order, together to the steps that the
/// engine made.
class JournalSteps {
 public:
  /// `scenario` (resolved) must outlive it.
  explicit JournalSteps(const Scenario& scenario) : scenario_(scenario) {}

  /// The step that is whole with this record, if one is. Errors: kUsage for a journal that can't be
  /// replayed (no heartbeats where scheduling happens on them), kAborted for one that contradicts
  /// itself or the scenario.
  Result<std::optional<RecordedStep>> add(const Json& record);
  /// There are no more records: the last step, of whose outcome the end may be missing.
  Result<std::optional<RecordedStep>> rest();

  /// After rest(): events that the engine has not seen yet; they come first in its next step.
  std::vector<Event> take_unseen();

  bool begun() const { return run_seen_; }
  bool leaving() const { return leaving_; }           ///< nothing was decided any more
  std::int64_t next_number() const { return next_; }  ///< of the step to come
  EmuTime now() const { return now_; }                ///< of the last step

 private:
  Result<void> check_run(const Json& record);
  void begin(std::int64_t number, const Json& record);
  void take(const Json& record);
  void check_ids(const Event& event);
  /// The step that is under way has all its records.
  std::optional<RecordedStep> close();

  const Scenario& scenario_;
  std::optional<RecordedStep> step_;
  RecordedStep unseen_;  ///< events that were recorded while the run was leaving
  std::set<JobId> submitted_;
  bool run_seen_ = false;
  bool leaving_ = false;
  std::int64_t next_ = 0;
  EmuTime now_;
};

}  // namespace heddle::wire
