#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "common/result.h"
#include "core/engine.h"
#include "wire/fields.h"

namespace heddle::wire {

/// A step of the engine as recorded in a journal.
struct RecordedStep {
  std::int64_t number = 0;
  EmuTime now;
  /// Events that the engine folded. After a run has been resumed, the events recorded while it was
  /// leaving come first.
  std::vector<Event> events;
  std::vector<Json> event_lines;  ///< the line of each event, as bare() returns it
  std::vector<Json> outcome;      ///< the lines of the outcome, as bare() returns them
};

/// Returns the record without the fields that don't describe the decision, for comparing and
/// showing.
Json bare(const Json& record);
/// Returns whether the line is an outcome other than an action.
bool is_result(const Json& record);
/// Compares two records, whatever the order of their fields.
bool same(const Json& a, const Json& b);
/// Returns whether the lines equal those of `outcome`. If not `whole`, they may be only the first
/// of them.
bool agree(const std::vector<Json>& journal, const std::vector<Json>& outcome, bool whole);

/// Assembles the records of a journal, passed one by one in order, into the steps that the engine
/// made.
class JournalSteps {
 public:
  /// `scenario` (resolved) must outlive the object.
  explicit JournalSteps(const Scenario& scenario) : scenario_(scenario) {}

  /// Adds a record. Returns the step that is complete with it, if any. Errors: kUsage for a journal
  /// that can't be replayed (no heartbeats although scheduling happens on them), kAborted for a
  /// journal that contradicts itself or the scenario.
  Result<std::optional<RecordedStep>> add(const Json& record);
  /// Returns the last step after all records have been added. The end of its outcome may be
  /// missing.
  Result<std::optional<RecordedStep>> rest();

  /// After rest(): returns events that the engine has not seen yet. They come first in its next
  /// step.
  std::vector<Event> take_unseen();

  bool begun() const { return run_seen_; }
  bool leaving() const { return leaving_; }           ///< nothing was decided any more
  std::int64_t next_number() const { return next_; }  ///< number of the next step
  EmuTime now() const { return now_; }                ///< time of the last step

 private:
  Result<void> check_run(const Json& record);
  void begin(std::int64_t number, const Json& record);
  void take(const Json& record);
  void check_ids(const Event& event);
  /// Returns the step under way, now that it has all its records.
  std::optional<RecordedStep> close();

  const Scenario& scenario_;
  std::optional<RecordedStep> step_;
  RecordedStep unseen_;  ///< events recorded while the run was leaving
  std::set<JobId> submitted_;
  bool run_seen_ = false;
  bool leaving_ = false;
  std::int64_t next_ = 0;
  EmuTime now_;
};

}  // namespace heddle::wire
